// tears: springs break beyond the limit and where a blade crosses them, pull no more at once, and
// take their triangles along; what is torn off falls like anything else; a reset heals.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "api_support.hpp"
#include "closed_form.hpp"

using namespace api;
using twang::test::fall;
using twang::test::integrator_name;
using twang::test::integrators;

namespace {

constexpr double spacing = 0.03, gravity = 9.8;

std::uint32_t broken(const World& world, twang_body body) {
    std::uint32_t count = 0;
    EXPECT_TRUE(ok(twang_body_broken_springs(world.get(), body, &count)));
    return count;
}

std::vector<std::uint8_t> torn(const World& world, twang_body body, std::size_t triangles) {
    std::vector<std::uint8_t> flags(triangles, 9);
    EXPECT_TRUE(ok(twang_body_copy_torn_triangles(world.get(), body, flags.data(), triangles)));
    return flags;
}

std::vector<std::uint32_t> take(const World& world, twang_body body, std::size_t room) {
    std::vector<std::uint32_t> triangles(room);
    std::size_t count = 0;
    EXPECT_TRUE(
        ok(twang_body_take_torn_triangles(world.get(), body, triangles.data(), room, &count)));
    triangles.resize(count);
    return triangles;
}

twang_status cut(const World& world, twang_body body, twang_blade_def blade,
                 std::uint32_t* count = nullptr) {
    return twang_body_cut(world.get(), body, &blade, count);
}

// Across a cloth in its rest shape, between rows `row` and `row` + 1.
twang_blade_def below_row(int row) {
    const double y = -(row + 0.5) * spacing;
    return {{-1.0, y, -1.0}, {9.0, y, -1.0}, {0.0, 0.0, 2.0}};
}

std::vector<std::uint32_t> top_row() { return {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}; }

// A thread of four springs along x from vertex 0, pinned at both ends; the third may be weaker.
struct Thread {
    Model model;
    World world;
    twang_body body;
    explicit Thread(double third, const twang_world_def& def) {
        const double xyz[15] = {0, 0, 0, 0.1, 0, 0, 0.2, 0, 0, 0.3, 0, 0, 0.4, 0, 0};
        twang_spring_def springs[4];
        for (std::uint32_t k = 0; k < 4; ++k) springs[k].a = k, springs[k].b = k + 1;
        springs[2].stiffness = third;
        twang_mesh_def mesh;
        mesh.positions = xyz;
        mesh.vertex_count = 5;
        mesh.springs = springs;
        mesh.spring_count = 4;
        model = make_model(mesh);
        world = make_world(def);
        body = add(world, model, {0, 4});
    }
    void stretch_to(double length) {
        EXPECT_TRUE(ok(twang_body_pin_at(world.get(), body, 4, {length, 0.0, 0.0})));
        EXPECT_TRUE(steps(world, 1));
    }
};

twang_world_def weightless(twang_solver solver) {
    twang_world_def def = plain(solver);
    def.gravity = {};
    return def;
}

} // namespace

TEST(Tear, SpringsBreakAboveTheLimitAndNotBelow) {
    Thread thread(1000.0, weightless(TWANG_SOLVER_STATIC));
    ASSERT_TRUE(ok(twang_body_set_tear_strain(thread.world.get(), thread.body, 0.3)));
    thread.stretch_to(0.4 * 1.299);
    EXPECT_EQ(broken(thread.world, thread.body), 0u);
    thread.stretch_to(0.4 * 1.301);
    EXPECT_EQ(broken(thread.world, thread.body), 4u) << "all as long as each other";
    EXPECT_EQ(measures(thread.world, thread.body).max_stretch, 0.0) << "none is left to measure";
    EXPECT_EQ(measures(thread.world, thread.body).elastic_energy, 0.0);
}

TEST(Tear, TheWeakestBreaksAndTheOthersSnapBack) {
    twang_world_def def = weightless(TWANG_SOLVER_LOCAL_GLOBAL);
    def.damping = 5.0;
    Thread thread(200.0, def);
    ASSERT_TRUE(ok(twang_body_set_tear_strain(thread.world.get(), thread.body, 0.5)));
    for (int k = 1; k <= 300; ++k) thread.stretch_to(0.4 + 0.001 * k);
    ASSERT_TRUE(steps(thread.world, 600));
    EXPECT_EQ(broken(thread.world, thread.body), 1u);
    EXPECT_NEAR(position(thread.world, thread.body, 2).x, 0.2, 1e-5);
    EXPECT_NEAR(position(thread.world, thread.body, 3).x, 0.6, 1e-5);
    EXPECT_LT(measures(thread.world, thread.body).max_stretch, 1e-4) << "of those that hold";
}

TEST(Tear, IsMeasuredFromTheScaledRestLength) {
    Thread thread(1000.0, weightless(TWANG_SOLVER_STATIC));
    const double twice[] = {2.0, 2.0, 2.0, 2.0};
    ASSERT_TRUE(
        ok(twang_body_scale_rest_lengths(thread.world.get(), thread.body, nullptr, twice, 4)));
    ASSERT_TRUE(ok(twang_body_set_tear_strain(thread.world.get(), thread.body, 0.3)));
    thread.stretch_to(0.8 * 1.29);
    EXPECT_EQ(broken(thread.world, thread.body), 0u);
    thread.stretch_to(0.8 * 1.31);
    EXPECT_EQ(broken(thread.world, thread.body), 4u);
}

TEST(Tear, LimitOf0TurnsItOffAndBadOnesAreRefused) {
    Thread thread(1000.0, weightless(TWANG_SOLVER_STATIC));
    twang_world* world = thread.world.get();
    ASSERT_TRUE(ok(twang_body_set_tear_strain(world, thread.body, 0.3)));
    const auto before = snapshot(thread.world);
    EXPECT_TRUE(is(TWANG_NOT_FINITE, twang_body_set_tear_strain(world, thread.body, not_a_number)));
    EXPECT_TRUE(is(TWANG_NOT_FINITE, twang_body_set_tear_strain(world, thread.body, infinite)));
    EXPECT_TRUE(
        fails(TWANG_OUT_OF_RANGE, "-0.1", twang_body_set_tear_strain(world, thread.body, -0.1)));
    EXPECT_TRUE(snapshot(thread.world) == before);
    ASSERT_TRUE(ok(twang_body_set_tear_strain(world, thread.body, 0.0)));
    thread.stretch_to(4.0);
    EXPECT_EQ(broken(thread.world, thread.body), 0u);
}

TEST(Cut, BreaksWhatItCrossesAndReportsTornTrianglesOnce) {
    Scene s(10, 10);
    std::uint32_t count = 0;
    ASSERT_TRUE(ok(cut(s.world, s.body, below_row(4), &count)));
    EXPECT_EQ(count, 10u + 18u + 20u) << "structural, shear, bend";
    EXPECT_EQ(broken(s.world, s.body), count);

    std::vector<std::uint32_t> triangles(3 * 162), expected;
    ASSERT_TRUE(ok(twang_model_copy_triangles(s.model.get(), triangles.data(), triangles.size())));
    for (std::uint32_t t = 0; t < 162; ++t) {
        const auto [low, high] = std::minmax(
            {triangles[3 * t] / 10, triangles[3 * t + 1] / 10, triangles[3 * t + 2] / 10});
        if (low == 4 && high == 5) expected.push_back(t);
    }
    ASSERT_EQ(expected.size(), 18u);
    const auto flags = torn(s.world, s.body, 162);
    for (std::uint32_t t = 0; t < 162; ++t)
        EXPECT_EQ(flags[t], std::count(expected.begin(), expected.end(), t)) << t;

    auto taken = take(s.world, s.body, 11);
    EXPECT_EQ(taken.size(), 11u);
    const auto rest = take(s.world, s.body, 11);
    EXPECT_EQ(rest.size(), 7u) << "those that found no room";
    taken.insert(taken.end(), rest.begin(), rest.end());
    std::sort(taken.begin(), taken.end());
    EXPECT_EQ(taken, expected);
    EXPECT_TRUE(take(s.world, s.body, 11).empty()) << "once each";

    ASSERT_TRUE(ok(cut(s.world, s.body, below_row(4), &count)));
    EXPECT_EQ(count, 0u) << "they are broken already";
    EXPECT_TRUE(take(s.world, s.body, 11).empty());
}

// Flat across the wind, the air presses on the triangles that are left, until a reset heals them.
TEST(Cut, WindGoesThroughTornTriangles) {
    twang_world_def def = plain();
    def.gravity = {};
    Scene s(10, 10, def);
    ASSERT_TRUE(ok(twang_world_set_wind(s.world.get(), {0.0, 0.0, 3.0}, 2.0)));
    const double area = spacing * spacing / 2.0; // of one of 162
    ASSERT_TRUE(ok(cut(s.world, s.body, below_row(4))));
    ASSERT_TRUE(steps(s.world, 1));
    EXPECT_NEAR(measures(s.world, s.body).momentum.z, 144 * area * 2.0 * 3.0 / 60.0, 1e-9);
    ASSERT_TRUE(ok(twang_body_reset(s.world.get(), s.body)));
    ASSERT_TRUE(steps(s.world, 1));
    EXPECT_NEAR(measures(s.world, s.body).momentum.z, 162 * area * 2.0 * 3.0 / 60.0, 1e-9);
}

TEST(Cut, WhatIsCutOffFallsAndTheRestHangs) {
    struct Case {
        twang_solver solver;
        twang_integrator integrator;
        bool limited; // the strain limiter leaves broken springs alone
    };
    std::vector<Case> cases;
    for (const bool limited : {false, true})
        for (const twang_integrator integrator : integrators)
            for (const twang_solver solver :
                 {TWANG_SOLVER_LOCAL_GLOBAL, TWANG_SOLVER_NEWTON, TWANG_SOLVER_NEWTON_CG})
                cases.push_back({solver, integrator, limited});
    for (const Case& c : cases) {
        SCOPED_TRACE(std::string(name(c.solver)) + ", " + integrator_name(c.integrator));
        twang_world_def def = plain(c.solver);
        def.solver.integrator = c.integrator;
        def.refactor_delay = 0;
        Scene s(10, 10, def, top_row());
        if (c.limited) {
            ASSERT_TRUE(ok(twang_body_set_max_strain(s.world.get(), s.body, 0.1, 20)));
        }
        ASSERT_TRUE(ok(cut(s.world, s.body, below_row(4))));
        ASSERT_TRUE(steps(s.world, 60));
        const double way = fall(60, c.integrator);
        for (std::uint32_t i = 50; i < 100; ++i)
            ASSERT_NEAR(position(s.world, s.body, i).y, -spacing * (i / 10) - way, 1e-3 * way) << i;
        EXPECT_GT(position(s.world, s.body, 49).y, -5 * spacing) << "this one hangs";
        EXPECT_LT(measures(s.world, s.body).max_stretch, 0.1) << "of unbroken springs";
        EXPECT_EQ(precomputation(s.world, s.body).factorings, 2);
    }
}

// The mean height of some rows of a cloth of 10 columns.
double height(const World& world, twang_body body, std::uint32_t begin, std::uint32_t end) {
    double sum = 0.0;
    for (std::uint32_t i = 10 * begin; i < 10 * end; ++i) sum += position(world, body, i).y;
    return sum / (10 * (end - begin));
}

// On the stale factor a few iterations are not enough to let go of it all at once; but springs
// cannot hold back the centre of what nothing else holds. It falls freely from the first step on,
// and so does every piece of it, until something grabs it.
TEST(Cut, PiecesFallFreelyOnTheOldFactor) {
    for (const twang_integrator integrator : integrators)
        for (const twang_solver solver : {TWANG_SOLVER_LOCAL_GLOBAL, TWANG_SOLVER_NEWTON_CG}) {
            SCOPED_TRACE(std::string(name(solver)) + ", " + integrator_name(integrator));
            twang_world_def def = plain(solver);
            def.solver.iterations = 4;
            def.solver.integrator = integrator;
            Scene s(10, 10, def, top_row());
            ASSERT_TRUE(ok(cut(s.world, s.body, below_row(3))));
            const double lower = height(s.world, s.body, 4, 10);
            ASSERT_TRUE(steps(s.world, 5));
            const double fallen = fall(5, integrator), way = fall(10, integrator) - fallen;
            EXPECT_NEAR(height(s.world, s.body, 4, 10), lower - fallen, 1e-4 * fallen); // floats
            EXPECT_GT(height(s.world, s.body, 0, 4), -2.0 * spacing) << "this one hangs";
            twang_blade_def blade = below_row(6);
            blade.from.y = blade.to.y =
                0.5 * (position(s.world, s.body, 65).y + position(s.world, s.body, 75).y);
            ASSERT_TRUE(ok(cut(s.world, s.body, blade)));
            twang_grab_def grab;
            ASSERT_TRUE(ok(twang_default_grab(&grab)));
            for (std::uint32_t& vertex : grab.vertices) vertex = 45;
            grab.target = position(s.world, s.body, 45);
            twang_grab handle;
            ASSERT_TRUE(ok(twang_body_grab(s.world.get(), s.body, &grab, &handle)));
            const double lowest = height(s.world, s.body, 7, 10);
            const double middle = height(s.world, s.body, 4, 7);
            ASSERT_TRUE(steps(s.world, 5)); // from 5 to 10
            EXPECT_EQ(precomputation(s.world, s.body).factorings, 1);
            EXPECT_NEAR(height(s.world, s.body, 7, 10), lowest - way, 0.01 * way);
            EXPECT_GT(height(s.world, s.body, 4, 7), middle - 0.7 * way) << "this one is grabbed";
            EXPECT_LT(measures(s.world, s.body).max_stretch, 0.2);
        }
}

// The shape, too, is that of free fall with the new factor, and with enough iterations on the old
// one.
TEST(Cut, FallsFreelyOnceTheNewFactorIsThere) {
    for (const twang_integrator integrator : integrators) {
        SCOPED_TRACE(integrator_name(integrator));
        twang_world_def def = plain();
        def.solver.integrator = integrator;
        const double way = fall(12, integrator);
        Scene s(10, 10, def, top_row());
        ASSERT_TRUE(ok(cut(s.world, s.body, below_row(4))));
        ASSERT_TRUE(steps(s.world, 12));
        EXPECT_EQ(precomputation(s.world, s.body).factorings, 1);
        EXPECT_LT(position(s.world, s.body, 95).y, -9 * spacing - 0.9 * way) << "not held either";
        ASSERT_TRUE(steps(s.world, 8));
        EXPECT_EQ(precomputation(s.world, s.body).factorings, 2);
        const double begin = velocities(s.world, s.body)[3 * 95 + 1];
        ASSERT_TRUE(steps(s.world, 30));
        EXPECT_NEAR(velocities(s.world, s.body)[3 * 95 + 1] - begin, -gravity / 2, 1e-3 * gravity);

        def.solver.iterations = 300;
        Scene patient(10, 10, def, top_row());
        ASSERT_TRUE(ok(cut(patient.world, patient.body, below_row(4))));
        ASSERT_TRUE(steps(patient.world, 12));
        EXPECT_EQ(precomputation(patient.world, patient.body).factorings, 1);
        EXPECT_NEAR(position(patient.world, patient.body, 95).y, -9 * spacing - way, 1e-3 * way);
    }
}

// On the stale factor and on the new one it is the same problem: that of a model without the
// springs.
TEST(Cut, MovesAsAModelWithoutTheSpringsDoes) {
    for (const int delay : {0, 5}) {
        twang_world_def def = plain(TWANG_SOLVER_NEWTON);
        def.refactor_delay = delay;
        Scene whole(8, 8, def, {0, 7});
        twang_model_info info{};
        ASSERT_TRUE(ok(twang_model_get_info(whole.model.get(), &info)));
        std::vector<twang_spring_def> springs(info.springs), kept;
        ASSERT_TRUE(
            ok(twang_model_copy_springs(whole.model.get(), springs.data(), springs.size())));
        for (const twang_spring_def& spring : springs) // all that cross x = 3.5
            if ((spring.a % 8 < 4) == (spring.b % 8 < 4)) kept.push_back(spring);
        std::vector<double> xyz(3 * 64), masses(64);
        ASSERT_TRUE(ok(twang_model_copy_rest_positions(whole.model.get(), xyz.data(), 64)));
        ASSERT_TRUE(ok(twang_model_copy_masses(whole.model.get(), masses.data(), 64)));
        twang_mesh_def mesh;
        mesh.positions = xyz.data();
        mesh.vertex_count = 64;
        mesh.springs = kept.data();
        mesh.spring_count = static_cast<std::uint32_t>(kept.size());
        mesh.masses = masses.data();
        const Model halves = make_model(mesh);
        const World world = make_world(def);
        const twang_body body = add(world, halves, {0, 7});

        const double x = 3.5 * spacing;
        std::uint32_t count = 0;
        ASSERT_TRUE(ok(cut(whole.world, whole.body, {{x, 1, -1}, {x, -9, -1}, {0, 0, 2}}, &count)));
        EXPECT_EQ(count, springs.size() - kept.size());
        ASSERT_TRUE(steps(whole.world, 20));
        ASSERT_TRUE(steps(world, 20));
        const auto one = positions(whole.world, whole.body), other = positions(world, body);
        for (std::size_t i = 0; i < one.size(); ++i)
            EXPECT_NEAR(one[i], other[i], 1e-6 * info.size) << i;
    }
}

TEST(Cut, BladesThatMissOrAreNoneBreakNothing) {
    Scene s(5, 5);
    std::uint32_t count = 7;
    ASSERT_TRUE(ok(cut(s.world, s.body, {{-1, 1, -1}, {9, 1, -1}, {0, 0, 2}}, &count)));
    EXPECT_EQ(count, 0u) << "above it";
    ASSERT_TRUE(ok(cut(s.world, s.body, {{-1, -0.045, 0.1}, {9, -0.045, 0.1}, {0, 0, 2}}, &count)));
    EXPECT_EQ(count, 0u) << "in front of it";
    ASSERT_TRUE(ok(cut(s.world, s.body, {{0.1, -0.045, -1}, {9, -0.045, -1}, {0, 0, 2}}, &count)));
    EXPECT_EQ(count, 1u + 2u + 2u) << "the last column, its diagonals, its bend springs";
    const auto before = snapshot(s.world);
    for (int v = 0; v < 3; ++v)
        for (const double value : {not_a_number, infinite}) {
            twang_blade_def blade = below_row(2);
            (v == 0 ? blade.from : v == 1 ? blade.to : blade.along).z = value;
            EXPECT_TRUE(is(TWANG_NOT_FINITE, cut(s.world, s.body, blade)));
        }
    twang_blade_def blade = below_row(2);
    blade.along = {};
    EXPECT_TRUE(is(TWANG_OUT_OF_RANGE, cut(s.world, s.body, blade)));
    EXPECT_TRUE(is(TWANG_INVALID_ARGUMENT, twang_body_cut(s.world.get(), s.body, nullptr, &count)));
    EXPECT_TRUE(snapshot(s.world) == before);
}

// A stroke through the middle of a cloth in `pieces` cuts, one a frame, while the cloth swings on
// its top row and turns. Its two sides are told by the springs that are left.
struct StrokeCase {
    int pieces;
    bool swings;
    int steps_per_frame;
};

struct Swinging : Scene {
    static constexpr std::uint32_t columns = 21, rows = 21;
    std::vector<twang_spring_def> springs;

    explicit Swinging(const StrokeCase& c) : Scene(columns, rows, world_def(c), pins()) {
        twang_model_info info{};
        EXPECT_TRUE(ok(twang_model_get_info(model.get(), &info)));
        springs.resize(info.springs);
        EXPECT_TRUE(ok(twang_model_copy_springs(model.get(), springs.data(), springs.size())));
        if (!c.swings) return;
        std::vector<double> speeds(3 * columns * rows);
        for (std::uint32_t i = 0; i < columns * rows; ++i) {
            speeds[3 * i] = 4.0 * (i / columns) / rows;
            speeds[3 * i + 1] = 2.0 * std::sin(i % columns);
            speeds[3 * i + 2] = 3.0 * std::sin(0.5 * (i % columns));
        }
        EXPECT_TRUE(
            ok(twang_body_set_velocities(world.get(), body, speeds.data(), columns * rows)));
        EXPECT_TRUE(steps(world, 5 * c.steps_per_frame));
    }
    static twang_world_def world_def(const StrokeCase& c) {
        twang_world_def def = plain();
        def.time_step = 1.0 / 60 / c.steps_per_frame;
        return def;
    }
    static std::vector<std::uint32_t> pins() {
        std::vector<std::uint32_t> top(columns);
        for (std::uint32_t i = 0; i < columns; ++i) top[i] = i;
        return top;
    }
    std::vector<std::uint8_t> broken_springs() const {
        std::vector<std::uint8_t> flags(springs.size());
        EXPECT_TRUE(
            ok(twang_body_copy_broken_springs(world.get(), body, flags.data(), flags.size())));
        return flags;
    }
    // Per vertex, the lowest vertex that unbroken springs join it with.
    std::vector<std::uint32_t> parts() const {
        std::vector<std::uint32_t> part(columns * rows);
        for (std::uint32_t i = 0; i < part.size(); ++i) part[i] = i;
        const auto flags = broken_springs();
        for (bool changed = true; changed;) {
            changed = false;
            for (std::size_t s = 0; s < springs.size(); ++s) {
                std::uint32_t &a = part[springs[s].a], &b = part[springs[s].b];
                if (flags[s] || a == b) continue;
                a = b = std::min(a, b);
                changed = true;
            }
        }
        return part;
    }
};

// The edge of a blade that is seen from an eye as a point, as a camera sees the pointer.
struct SeenEdge {
    twang_vec3 at, along;
};
constexpr twang_vec3 eye{0.3, -0.3, 3.0};
twang_vec3 on_cloth(double share) { return {-1.5 + 4.0 * share, -0.27 - 0.1 * share, 0.0}; }
SeenEdge edge_at(double share) {
    const twang_vec3 to = on_cloth(share), way{to.x - eye.x, to.y - eye.y, to.z - eye.z};
    return {{eye.x + 0.1 * way.x, eye.y + 0.1 * way.y, eye.z + 0.1 * way.z},
            {1.9 * way.x, 1.9 * way.y, 1.9 * way.z}};
}

// On which side of a stroke from left to right each vertex is: the angle in which the edge sees it
// turns by pi for those that the edge passed below, by -pi for those that it passed above.
class Sides {
public:
    explicit Sides(std::size_t vertices) : last_(vertices), turned_(vertices) {}
    void look(const std::vector<double>& xyz, double share) {
        for (std::size_t i = 0; i < last_.size(); ++i) {
            const double angle = seen_angle(&xyz[3 * i], on_cloth(share));
            if (looked_) turned_[i] += std::remainder(angle - last_[i], 2.0 * std::numbers::pi);
            last_[i] = angle;
        }
        looked_ = true;
    }
    bool is_above(std::size_t vertex) const { return turned_[vertex] > 0.0; }

private:
    static double seen_angle(const double* p, twang_vec3 pointer) {
        const double scale = eye.z / (eye.z - p[2]); // onto the plane z = 0
        return std::atan2(eye.y + scale * (p[1] - eye.y) - pointer.y,
                          eye.x + scale * (p[0] - eye.x) - pointer.x);
    }
    bool looked_ = false;
    std::vector<double> last_, turned_;
};

std::vector<StrokeCase> every_stroke() {
    std::vector<StrokeCase> cases;
    for (const int pieces : {1, 5, 22, 60})
        for (const bool swings : {false, true})
            for (const int steps_per_frame : {1, 3})
                cases.push_back({pieces, swings, steps_per_frame});
    return cases;
}

TEST(Stroke, PartsABodyFromEdgeToEdgeHoweverItMoves) {
    for (const StrokeCase& c : every_stroke()) {
        SCOPED_TRACE(std::to_string(c.pieces) + " pieces, " +
                     (c.swings ? "swinging, " : "still, ") + std::to_string(c.steps_per_frame) +
                     " steps per frame");
        Swinging s(c);
        SeenEdge last = edge_at(0.0);
        std::vector<double> before = positions(s.world, s.body);
        Sides sides(s.columns * s.rows);
        sides.look(before, 0.0);
        std::uint32_t sum = 0;
        for (int k = 1; k <= c.pieces; ++k) {
            const double share = static_cast<double>(k) / c.pieces;
            const SeenEdge next = edge_at(share);
            const twang_blade_def blade{last.at,    next.at,       last.along,
                                        next.along, before.data(), s.columns * s.rows};
            if (c.swings) {
                ASSERT_TRUE(steps(s.world, c.steps_per_frame));
            }
            std::uint32_t count = 0;
            ASSERT_TRUE(ok(cut(s.world, s.body, blade, &count)));
            sum += count;
            last = next;
            before = positions(s.world, s.body);
            sides.look(before, share);
        }
        EXPECT_EQ(broken(s.world, s.body), sum);
        const auto flags = s.broken_springs();
        EXPECT_EQ(std::count(flags.begin(), flags.end(), 1), sum);
        int threads = 0;
        for (std::size_t k = 0; k < s.springs.size(); ++k)
            threads +=
                !flags[k] && sides.is_above(s.springs[k].a) != sides.is_above(s.springs[k].b);
        EXPECT_EQ(threads, 0);
        const auto part = s.parts();
        std::uint32_t below = 0;
        for (std::uint32_t i = 0; i < part.size(); ++i) {
            if (sides.is_above(i)) continue;
            ++below;
            EXPECT_NE(part[i], 0u) << "something holds vertex " << i;
        }
        EXPECT_GT(below, 4u * s.columns);
        EXPECT_LT(below, (s.rows - 4) * s.columns);
        for (std::uint32_t i = 0; i < s.columns; ++i) EXPECT_EQ(part[i], 0u) << i;
        // What fell off falls: nothing hangs in the air.
        ASSERT_TRUE(steps(s.world, 60 * c.steps_per_frame));
        const auto end = positions(s.world, s.body);
        for (std::uint32_t i = 0; i < part.size(); ++i)
            if (part[i] != 0) {
                EXPECT_LT(end[3 * i + 1], -2.0) << i;
            }
        EXPECT_LT(measures(s.world, s.body).max_stretch, 0.5);
    }
}

// A still body is cut alike in one piece and in many.
TEST(Stroke, OfAStillBodyIsTheSameInAnyNumberOfPieces) {
    std::vector<std::uint8_t> one;
    for (const int pieces : {1, 5, 22, 60}) {
        Scene s(21, 21);
        const auto on_line = [&](int k) {
            const double share = static_cast<double>(k) / pieces;
            return twang_vec3{-0.3 + 1.3 * share, -0.2 - 0.13 * share, -1.0};
        };
        for (int k = 0; k < pieces; ++k)
            ASSERT_TRUE(ok(cut(s.world, s.body, {on_line(k), on_line(k + 1), {0, 0, 2}})));
        twang_model_info info{};
        ASSERT_TRUE(ok(twang_model_get_info(s.model.get(), &info)));
        std::vector<std::uint8_t> flags(info.springs);
        ASSERT_TRUE(
            ok(twang_body_copy_broken_springs(s.world.get(), s.body, flags.data(), flags.size())));
        if (one.empty()) one = flags;
        EXPECT_GT(std::count(flags.begin(), flags.end(), 1), 60);
        EXPECT_EQ(flags, one) << pieces;
    }
}

// Cuts that meet at a vertex, exactly.
TEST(Stroke, ThroughVerticesPartsTheBody) {
    for (const int pieces : {1, 8, 16}) {
        Scene s(9, 9);
        const auto rest = positions(s.world, s.body);
        const double y = rest[3 * 9 * 4 + 1];
        const auto on_line = [&](int k) {
            return twang_vec3{rest[3 * 8] * (2.0 * k / pieces - 0.5), y, -1.0};
        };
        for (int k = 0; k < pieces; ++k)
            ASSERT_TRUE(ok(cut(s.world, s.body, {on_line(k), on_line(k + 1), {0, 0, 2}})));
        twang_model_info info{};
        ASSERT_TRUE(ok(twang_model_get_info(s.model.get(), &info)));
        std::vector<twang_spring_def> springs(info.springs);
        ASSERT_TRUE(ok(twang_model_copy_springs(s.model.get(), springs.data(), springs.size())));
        std::vector<std::uint8_t> flags(info.springs);
        ASSERT_TRUE(
            ok(twang_body_copy_broken_springs(s.world.get(), s.body, flags.data(), flags.size())));
        for (std::size_t k = 0; k < springs.size(); ++k) {
            const std::uint32_t a = springs[k].a / 9, b = springs[k].b / 9;
            const bool touches = std::min(a, b) <= 4 && std::max(a, b) >= 4 && a != b;
            if (a != 4 || b != 4) {
                EXPECT_EQ(flags[k], touches)
                    << pieces << ": " << springs[k].a << ' ' << springs[k].b;
            }
        }
    }
}

// A body that moves through a blade at rest is cut, as by a blade that moves through the body.
TEST(Stroke, AtRestCutsWhatMovesThrough) {
    const double rope[] = {0, 0, 0, 1, 0, 0, 2, 0, 0};
    const double moved[] = {0, -2, 0, 1, -2, 0, 2, -2, 0};
    twang_spring_def springs[2];
    springs[0].b = springs[1].a = 1;
    springs[1].b = 2;
    twang_mesh_def mesh;
    mesh.positions = rope;
    mesh.vertex_count = 3;
    mesh.springs = springs;
    mesh.spring_count = 2;
    const Model model = make_model(mesh);
    for (const bool moves : {false, true}) {
        const World world = make_world(plain());
        const twang_body body = add(world, model);
        ASSERT_TRUE(ok(twang_body_set_positions(world.get(), body, moved, 3)));
        const twang_vec3 at{1.5, -0.5, -1.0};
        std::uint32_t count = 9;
        ASSERT_TRUE(
            ok(cut(world, body, {at, at, {0, 0, 2}, {}, moves ? rope : nullptr, 3}, &count)));
        EXPECT_EQ(count, moves ? 1u : 0u);
        std::uint8_t flags[2];
        ASSERT_TRUE(ok(twang_body_copy_broken_springs(world.get(), body, flags, 2)));
        EXPECT_EQ(flags[0], 0);
        EXPECT_EQ(flags[1], moves ? 1 : 0);
        if (moves) continue;
        ASSERT_TRUE(ok(cut(world, body, {at, at, {0, 0, 0.5}, {}, rope, 3}, &count)));
        EXPECT_EQ(count, 0u) << "the edge ends in front of it";
        const twang_vec3 behind{1.5, -0.5, 0.5};
        ASSERT_TRUE(ok(cut(world, body, {at, behind, {0, 0, 0.5}, {}, rope, 3}, &count)));
        EXPECT_EQ(count, 0u) << "the edge is still in front when the rope passes";
    }
}

TEST(Stroke, RefusesPositionsThatAreNotTheBodys) {
    Scene s(5, 5);
    std::vector<double> before = positions(s.world, s.body);
    const auto state = snapshot(s.world);
    twang_blade_def blade = below_row(2);
    blade.from_positions = before.data();
    for (const std::uint32_t count : {0u, 24u, 26u}) {
        blade.vertex_count = count;
        EXPECT_TRUE(fails(TWANG_INVALID_ARGUMENT, "25", cut(s.world, s.body, blade)));
    }
    blade.vertex_count = 25;
    for (const double value : {not_a_number, infinite}) {
        before[3 * 7 + 1] = value;
        EXPECT_TRUE(fails(TWANG_NOT_FINITE, "vertex 7", cut(s.world, s.body, blade)));
        before[3 * 7 + 1] = 0.0;
        blade.to_along.z = value;
        EXPECT_TRUE(is(TWANG_NOT_FINITE, cut(s.world, s.body, blade)));
        blade.to_along = {};
    }
    before[3 * 7 + 1] = 1e300;
    EXPECT_TRUE(fails(TWANG_OUT_OF_RANGE, "vertex 7", cut(s.world, s.body, blade)));
    EXPECT_TRUE(snapshot(s.world) == state);
    before[3 * 7 + 1] = 3e38; // finite: nothing to refuse, nothing to hang on
    EXPECT_TRUE(ok(cut(s.world, s.body, blade)));
}

TEST(Tear, ResetHealsToTheBitsOfAFreshBody) {
    for (const int delay : {0, 4, TWANG_BY_SIZE})
        for (const int since : {0, 2, 40}) { // before, while and after another factor is made
            twang_world_def def = plain();
            def.refactor_delay = delay;
            Scene s(9, 9, def, {0, 8}), fresh(9, 9, def, {0, 8});
            ASSERT_TRUE(steps(s.world, 6));
            twang_measures m = measures(s.world, s.body);
            const double y = m.centre.y;
            ASSERT_TRUE(ok(cut(s.world, s.body, {{-1, y, -1}, {9, y, -1}, {0, 0, 2}})));
            const std::uint32_t spring = 5;
            const double scale = 3.0;
            ASSERT_TRUE(ok(twang_body_scale_stiffness(s.world.get(), s.body, &spring, &scale, 1)));
            ASSERT_TRUE(
                ok(twang_body_scale_rest_lengths(s.world.get(), s.body, &spring, &scale, 1)));
            ASSERT_TRUE(steps(s.world, since));
            EXPECT_GT(broken(s.world, s.body), 0u);
            ASSERT_TRUE(ok(twang_body_reset(s.world.get(), s.body)));
            EXPECT_EQ(broken(s.world, s.body), 0u);
            const auto flags = torn(s.world, s.body, 128);
            EXPECT_EQ(std::count(flags.begin(), flags.end(), 0), 128);
            EXPECT_TRUE(take(s.world, s.body, 8).empty());
            ASSERT_TRUE(steps(s.world, 50));
            ASSERT_TRUE(steps(fresh.world, 50));
            EXPECT_TRUE(same(bits(s.world, s.body), bits(fresh.world, fresh.body)))
                << delay << ' ' << since;
        }
}

TEST(Tear, QuestionsNeedTheirArrays) {
    Scene s(4, 4);
    std::uint32_t triangles[18];
    std::uint8_t flags[18];
    std::size_t count = 0;
    twang_world* w = s.world.get();
    EXPECT_TRUE(is(TWANG_INVALID_ARGUMENT, twang_body_broken_springs(w, s.body, nullptr)));
    EXPECT_TRUE(is(TWANG_INVALID_ARGUMENT, twang_body_copy_broken_springs(w, s.body, nullptr, 9)));
    EXPECT_TRUE(fails(TWANG_INVALID_ARGUMENT, "18 springs",
                      twang_body_copy_broken_springs(w, s.body, flags, 18)));
    EXPECT_TRUE(is(TWANG_INVALID_ARGUMENT, twang_body_copy_torn_triangles(w, s.body, nullptr, 18)));
    EXPECT_TRUE(is(TWANG_INVALID_ARGUMENT, twang_body_copy_torn_triangles(w, s.body, flags, 17)));
    EXPECT_TRUE(
        is(TWANG_INVALID_ARGUMENT, twang_body_take_torn_triangles(w, s.body, nullptr, 4, &count)));
    EXPECT_TRUE(is(TWANG_INVALID_ARGUMENT,
                   twang_body_take_torn_triangles(w, s.body, triangles, 4, nullptr)));
    EXPECT_TRUE(ok(twang_body_take_torn_triangles(w, s.body, nullptr, 0, &count)));
    EXPECT_EQ(broken(s.world, s.body), 0u);
    EXPECT_EQ(torn(s.world, s.body, 18), std::vector<std::uint8_t>(18, 0)) << "never torn";
}
