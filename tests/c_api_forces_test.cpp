// Forces that a game changes while it runs, through the API: bad values are refused and change
// nothing, good ones do what they say, and a balloon holds its gas.
#include <cmath>
#include <functional>

#include <twang/io.hpp>

#include "api_support.hpp"

using namespace api;

namespace {

struct Row {
    std::function<twang_status()> call;
    twang_status answer;
    const char* words;
};

double dot(twang_vec3 a, twang_vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
double length(twang_vec3 a) { return std::sqrt(dot(a, a)); }

struct Balloon {
    twang::io::Scene scene;
    twang::io::Stage stage;

    // Without wind, weight, damping and bending: only gas and structural springs.
    explicit Balloon(double pressure, int iterations = 20, double time_step = 1.0 / 60.0) {
        const auto read = twang::io::read_scene(TWANG_ASSETS_DIR "/scenes/balloon.json");
        EXPECT_TRUE(read);
        scene = *read;
        scene.positions.clear(); // not inflated yet
        scene.air = {.drag = 0.0};
        scene.material.bend = 0.0;
        scene.gravity_scale = 0.0;
        scene.world.damping = 0.0;
        scene.world.workers = 1;
        scene.world.time_step = time_step;
        scene.world.solver.iterations = iterations;
        scene.pressure = pressure;
        auto made = twang::io::instantiate(scene);
        EXPECT_TRUE(made);
        stage = std::move(*made);
    }
    // sum k (l - r) l: three times the work that pressure * volume must do at equilibrium.
    double tension() const {
        std::vector<twang_spring_def> springs(stage.model.info().springs);
        EXPECT_TRUE(
            ok(twang_model_copy_springs(stage.model.get(), springs.data(), springs.size())));
        std::vector<double> x(3 * stage.body.vertex_count());
        EXPECT_EQ(stage.body.copy_positions(x), TWANG_OK);
        double sum = 0.0;
        for (const twang_spring_def& s : springs) {
            const double l = length({x[3 * s.a] - x[3 * s.b], x[3 * s.a + 1] - x[3 * s.b + 1],
                                     x[3 * s.a + 2] - x[3 * s.b + 2]});
            sum += s.stiffness * (l - s.rest_length) * l;
        }
        return sum;
    }
};

} // namespace

TEST(CApiForces, BadValuesAreRefusedAndChangeNothing) {
    Scene s(3, 3, plain(), {0}), twin(3, 3, plain(), {0});
    twang_world* w = s.world.get();
    const twang_body b = s.body;
    std::vector<double> xyz(27, 0.25), spoilt(27, 0.25);
    spoilt[20] = not_a_number;
    const auto air = [&](std::function<void(twang_air_def&)> spoil) {
        return [w, spoil] {
            twang_air_def def;
            def.velocity = {9.0, 9.0, 9.0};
            spoil(def);
            return twang_world_set_air(w, &def);
        };
    };
    using Air = twang_air_def;
    const std::vector<Row> rows = {
        {[&] { return twang_world_set_air(w, nullptr); }, TWANG_INVALID_ARGUMENT, "air"},
        {[&] { return twang_default_air(nullptr); }, TWANG_INVALID_ARGUMENT, "def"},
        {air([](Air& a) { a.velocity.y = infinite; }), TWANG_NOT_FINITE, "wind"},
        {air([](Air& a) { a.drag = -1.0; }), TWANG_OUT_OF_RANGE, "drag"},
        {air([](Air& a) { a.lift = not_a_number; }), TWANG_NOT_FINITE, "lift"},
        {air([](Air& a) { a.lift = -0.1; }), TWANG_OUT_OF_RANGE, "lift"},
        {air([](Air& a) { a.gusts = -0.1; }), TWANG_OUT_OF_RANGE, "gusts"},
        {air([](Air& a) { a.gust_seconds = 0.0; }), TWANG_OUT_OF_RANGE, "gust_seconds"},
        {air([](Air& a) { a.gust_metres = infinite; }), TWANG_NOT_FINITE, "gust_metres"},
        {[&] { return twang_body_add_forces(w, b, nullptr, 9); }, TWANG_INVALID_ARGUMENT, "xyz"},
        {[&] { return twang_body_add_forces(w, b, xyz.data(), 8); }, TWANG_INVALID_ARGUMENT,
         "8 vertices"},
        {[&] { return twang_body_add_forces(w, b, spoilt.data(), 9); }, TWANG_NOT_FINITE,
         "vertex 6"},
        {[&] { return twang_body_add_impulse(w, b, 9, {}); }, TWANG_INDEX_OUT_OF_RANGE, "vertex 9"},
        {[&] {
             return twang_body_add_impulse(w, b, 4, {0.0, not_a_number, 0.0});
         },
         TWANG_NOT_FINITE, "vertex 4"},
        {[&] {
             return twang_body_add_impulse(w, b, 4, {1e308, 0.0, 0.0});
         },
         TWANG_OUT_OF_RANGE, "vertex 4"},
        {[&] { return twang_body_set_gravity_scale(w, b, infinite); }, TWANG_NOT_FINITE,
         "gravity scale"},
        {[&] { return twang_body_set_pressure(w, b, -1.0); }, TWANG_OUT_OF_RANGE, "-1 Pa"},
        {[&] { return twang_body_set_pressure(w, b, not_a_number); }, TWANG_NOT_FINITE, "Pa"},
        {[&] { return twang_body_set_pressure(w, b, 5.0); }, TWANG_UNSUPPORTED, "no volume"},
        {[&] { return twang_body_set_max_strain(w, b, -0.1, 10); }, TWANG_OUT_OF_RANGE,
         "max_strain"},
        {[&] { return twang_body_set_max_strain(w, b, infinite, 10); }, TWANG_NOT_FINITE,
         "max_strain"},
        {[&] { return twang_body_set_max_strain(w, b, 0.1, 0); }, TWANG_OUT_OF_RANGE, "0 passes"},
        {[&] { return twang_body_set_max_strain(w, b, 0.1, 1001); }, TWANG_OUT_OF_RANGE,
         "1001 passes"},
    };
    for (const Row& row : rows) EXPECT_TRUE(fails(row.answer, row.words, row.call())) << row.words;
    ASSERT_TRUE(steps(s.world, 10));
    ASSERT_TRUE(steps(twin.world, 10));
    EXPECT_TRUE(same(bits(s.world, s.body), bits(twin.world, twin.body)));
}

TEST(CApiForces, AnArrayOfForcesIsThatManyForces) {
    Scene one(4, 5), many(4, 5);
    Random random(3);
    std::vector<double> xyz;
    for (std::uint32_t i = 0; i < 20; ++i) {
        const twang_vec3 f = random.vector(0.3);
        xyz.insert(xyz.end(), {f.x, f.y, f.z});
        ASSERT_TRUE(ok(twang_body_add_force(one.world.get(), one.body, i, f)));
    }
    ASSERT_TRUE(ok(twang_body_add_forces(many.world.get(), many.body, xyz.data(), 20)));
    ASSERT_TRUE(steps(one.world, 3) && steps(many.world, 3));
    EXPECT_TRUE(same(bits(one.world, one.body), bits(many.world, many.body)));
    Scene none(4, 5);
    ASSERT_TRUE(steps(none.world, 3));
    EXPECT_NE(hash(none.world, none.body), hash(many.world, many.body));
}

TEST(CApiForces, AnImpulseChangesMomentumOnce) {
    twang_world_def def = plain();
    def.gravity = {};
    Scene s(4, 4, def, {3});
    const twang_vec3 impulse{0.02, -0.01, 0.03};
    ASSERT_TRUE(ok(twang_body_add_impulse(s.world.get(), s.body, 5, impulse)));
    ASSERT_TRUE(ok(twang_body_add_impulse(s.world.get(), s.body, 3, impulse))); // pinned: nothing
    const twang_vec3 p = measures(s.world, s.body).momentum;
    EXPECT_LT(length({p.x - impulse.x, p.y - impulse.y, p.z - impulse.z}), 1e-16);
    EXPECT_EQ(twang_body_velocities(s.world.get(), s.body)[3 * 5 + 2],
              static_cast<float>(velocities(s.world, s.body)[3 * 5 + 2]));

    Scene free(4, 4, def);
    ASSERT_TRUE(ok(twang_body_add_impulse(free.world.get(), free.body, 5, impulse)));
    ASSERT_TRUE(steps(free.world, 50));
    const twang_vec3 q = measures(free.world, free.body).momentum;
    EXPECT_LT(length({q.x - impulse.x, q.y - impulse.y, q.z - impulse.z}), 1e-8 * length(impulse));
}

TEST(CApiForces, GravityScaleActsOnOneBodyOnly) {
    const Model model = cloth(4, 4);
    const World world = make_world(plain());
    const twang_body heavy = add(world, model), light = add(world, model);
    ASSERT_TRUE(ok(twang_body_set_gravity_scale(world.get(), light, -0.25)));
    const double heavy_start = measures(world, heavy).centre.y;
    ASSERT_TRUE(steps(world, 30));
    const double fallen = measures(world, heavy).centre.y - heavy_start;
    const double risen = measures(world, light).centre.y - heavy_start;
    EXPECT_LT(fallen, -1.0);
    EXPECT_NEAR(risen / fallen, -0.25, 1e-9);
}

TEST(CApiForces, TheSameSeedGivesTheSameGusts) {
    const auto blown = [](std::uint64_t seed, int workers) {
        twang_world_def def = plain();
        def.workers = workers;
        Scene s(40, 60, def, {0, 39});
        twang_air_def air;
        air.velocity = {0.0, 0.0, 2.0};
        air.lift = 0.5;
        air.gusts = 4.0;
        air.gust_seconds = 0.2;
        air.gust_metres = 0.4;
        air.gust_seed = seed;
        EXPECT_TRUE(ok(twang_world_set_air(s.world.get(), &air)));
        EXPECT_TRUE(steps(s.world, 20));
        return hash(s.world, s.body);
    };
    EXPECT_EQ(blown(1, 1), blown(1, 1));
    EXPECT_EQ(blown(1, 1), blown(1, 3));
    EXPECT_NE(blown(1, 1), blown(2, 1));
}

TEST(CApiForces, SetWindIsAirWithoutLiftAndGusts) {
    Scene wind(5, 5, plain(), {0}), air(5, 5, plain(), {0});
    twang_air_def def;
    def.velocity = {1.0, 0.5, 3.0};
    def.drag = 0.7;
    def.lift = 0.4;
    def.gusts = 2.0;
    ASSERT_TRUE(ok(twang_world_set_air(wind.world.get(), &def)));
    ASSERT_TRUE(ok(twang_world_set_wind(wind.world.get(), def.velocity, def.drag)));
    def.lift = def.gusts = 0.0;
    ASSERT_TRUE(ok(twang_world_set_air(air.world.get(), &def)));
    ASSERT_TRUE(steps(wind.world, 20) && steps(air.world, 20));
    EXPECT_TRUE(same(bits(wind.world, wind.body), bits(air.world, air.body)));
}

// Work done by the gas and taken up by the springs balance: scaling the balloon by 1 + e changes
// its energy by e * tension and lets the gas do 3 e pressure * volume, which is 3 e times that at
// rest.
TEST(CApiForces, ABalloonSettlesWhereTensionHoldsTheGas) {
    for (const double pressure : {20.0, 200.0, 2000.0}) {
        Balloon balloon(pressure);
        for (int i = 0; i < 600; ++i) ASSERT_EQ(balloon.stage.step(), TWANG_OK);
        const double work = 3.0 * pressure * balloon.stage.model.info().volume;
        EXPECT_NEAR(balloon.tension() / work, 1.0, 1e-3) << pressure;
        EXPECT_LT(balloon.stage.body.measure().mean_speed, 1e-3) << pressure; // and is quiet
    }
}

TEST(CApiForces, ABalloonDoesNotExplode) {
    for (const double pressure : {1.0, 1e3, 1e4, 1e5})
        for (const double time_step : {1e-3, 1.0 / 60.0, 0.1}) {
            Balloon balloon(pressure, 5, time_step);
            double fastest = 0.0, speed = 0.0;
            for (int i = 0; i < 400; ++i) {
                ASSERT_EQ(balloon.stage.step(), TWANG_OK)
                    << pressure << " Pa, " << time_step << " s: " << twang_last_error();
                speed = balloon.stage.body.measure().mean_speed;
                fastest = std::max(fastest, speed);
            }
            if (time_step > 0.01) { // in 0.4 s at 1 ms it need not be quiet yet
                EXPECT_LT(speed, 0.1 * fastest) << pressure << ' ' << time_step;
            }
        }
}

TEST(CApiForces, AFlattenedBalloonIsBlownUpAgain) {
    Balloon balloon(200.0);
    std::vector<double> x(3 * balloon.stage.body.vertex_count());
    ASSERT_EQ(balloon.stage.body.copy_positions(x), TWANG_OK);
    for (std::size_t i = 1; i < x.size(); i += 3) x[i] = 0.9 - 0.05 * (x[i] - 0.9); // inside out
    ASSERT_EQ(balloon.stage.body.set_positions(x), TWANG_OK);
    for (int i = 0; i < 600; ++i) ASSERT_EQ(balloon.stage.step(), TWANG_OK) << twang_last_error();
    EXPECT_TRUE(std::isfinite(balloon.stage.body.measure().elastic_energy));
    EXPECT_LT(balloon.stage.body.measure().max_stretch, 0.5);
}

// Cut open, a balloon goes limp and does not shoot apart; rolled back, it does so again bit by bit;
// reset, it is full again.
TEST(CApiForces, GasGetsOutOfATornBalloon) {
    Balloon balloon(300.0);
    twang::io::Stage& stage = balloon.stage;
    for (int i = 0; i < 300; ++i) ASSERT_EQ(stage.step(), TWANG_OK);
    const double full = balloon.tension();
    const twang_vec3 c = stage.body.measure().centre;
    ASSERT_EQ(stage.body.cut({{c.x - 9.0, c.y, c.z}, {c.x + 9.0, c.y, c.z}, {0.0, -9.0, 0.0}}),
              TWANG_OK);
    ASSERT_GT(stage.body.broken_springs(), 0u);
    ASSERT_EQ(stage.step(), TWANG_OK);
    std::vector<std::byte> saved(stage.world.snapshot_size());
    ASSERT_EQ(stage.world.save(saved), TWANG_OK);
    double fastest = 0.0;
    for (int i = 0; i < 120; ++i) {
        ASSERT_EQ(stage.step(), TWANG_OK);
        fastest = std::max(fastest, stage.body.measure().mean_speed);
    }
    const std::uint64_t limp = stage.world.hash();
    EXPECT_LT(stage.body.measure().max_stretch, 0.3);
    EXPECT_LT(fastest, 6.0);
    ASSERT_EQ(stage.world.restore(saved), TWANG_OK);
    for (int i = 0; i < 120; ++i) ASSERT_EQ(stage.step(), TWANG_OK);
    EXPECT_EQ(stage.world.hash(), limp);
    ASSERT_EQ(stage.body.reset(), TWANG_OK);
    for (int i = 0; i < 300; ++i) ASSERT_EQ(stage.step(), TWANG_OK);
    EXPECT_NEAR(balloon.tension() / full, 1.0, 1e-2);
}

double model_mass(const Scene& s) {
    twang_model_info info{};
    EXPECT_TRUE(ok(twang_model_get_info(s.model.get(), &info)));
    return info.mass;
}

// However strong the drag, a cloth ends up going with the wind, and still air only takes energy.
TEST(CApiForces, AnyDragIsStable) {
    for (const double drag : {20.0, 200.0, 2000.0, 1e6})
        for (const double lift : {0.0, drag, 1e6}) {
            twang_world_def def = plain();
            def.gravity = {};
            Scene s(9, 9, def);
            std::vector<double> v(3 * 81);
            for (std::size_t i = 0; i < 81; ++i) v[3 * i + 2] = std::sin(0.7 * double(i % 9));
            ASSERT_TRUE(ok(twang_body_set_velocities(s.world.get(), s.body, v.data(), 81)));
            twang_air_def air;
            air.drag = drag;
            air.lift = lift;
            ASSERT_TRUE(ok(twang_world_set_air(s.world.get(), &air)));
            const double start = measures(s.world, s.body).kinetic_energy;
            for (int i = 0; i < 120; ++i) {
                ASSERT_TRUE(steps(s.world, 1)) << drag << ", " << lift;
                const twang_measures now = measures(s.world, s.body);
                ASSERT_LT(now.kinetic_energy + now.elastic_energy, start) << drag << ", " << lift;
            }
            if (lift > 0.0) continue; // would turn it away from where the wind goes
            air.velocity = {0.0, 0.0, 5.0};
            ASSERT_TRUE(ok(twang_body_reset(s.world.get(), s.body)));
            ASSERT_TRUE(ok(twang_world_set_air(s.world.get(), &air)));
            ASSERT_TRUE(steps(s.world, 180)); // for what the first gust stretched to swing out
            const twang_measures now = measures(s.world, s.body);
            EXPECT_NEAR(now.mean_speed, 5.0, 0.02) << drag;
            EXPECT_NEAR(now.momentum.z, 5.0 * model_mass(s), 0.02 * model_mass(s)) << drag;
            EXPECT_LT(now.max_stretch, 1e-3) << drag;
        }
}

TEST(CApiForces, ResetKeepsTheSettings) {
    Scene s(5, 5, plain(), {0}), twin(5, 5, plain(), {0});
    for (Scene* each : {&s, &twin}) {
        ASSERT_TRUE(ok(twang_body_set_gravity_scale(each->world.get(), each->body, 0.5)));
        ASSERT_TRUE(ok(twang_body_set_max_strain(each->world.get(), each->body, 0.01, 5)));
    }
    ASSERT_TRUE(steps(s.world, 20));
    ASSERT_TRUE(ok(twang_body_reset(s.world.get(), s.body)));
    ASSERT_TRUE(steps(s.world, 20) && steps(twin.world, 20));
    EXPECT_TRUE(same(bits(s.world, s.body), bits(twin.world, twin.body)));
}
