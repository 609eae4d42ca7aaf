// Q = M/h^2 + springs + pins: the factor multiplies back to it, pins weigh what they should, bodies
// share it, and what cannot be solved with any confidence is refused.
#include "system/system.hpp"

#include <Eigen/Cholesky>

#include "scenes.hpp"

namespace twang::test {
namespace {

using core::System;
using core::SystemKey;

SystemKey key_of(const Net& net, twang_pin_method method, double h,
                 const std::vector<std::uint32_t>& pins, twang_energy energy = TWANG_HOOKE) {
    SystemKey key{inner_model(net.def()),
                  energy,
                  method,
                  TWANG_PRECISION_DOUBLE,
                  TWANG_ARITHMETIC_PORTABLE,
                  h,
                  std::vector<char>(net.size(), 0)};
    for (const std::uint32_t user : pins) key.held[key.model->to_inner[user]] = 1;
    return key;
}

// Q from its definition, in elimination order, by the springs one by one.
Eigen::MatrixXd expected_q(const System& system) {
    const SystemKey& key = system.key;
    const double curvature = key.energy == TWANG_STVK ? 4.0 : 1.0;
    Eigen::MatrixXd q = Eigen::MatrixXd::Zero(key.model->vertex_count(), key.model->vertex_count());
    for (Eigen::Index i = 0; i < q.rows(); ++i)
        q(i, i) = key.model->masses[i] / (key.time_step * key.time_step) + system.pin_weights[i];
    for (const core::Spring& s : key.model->springs) {
        const double k = curvature * s.stiffness;
        q(s.a, s.a) += k;
        q(s.b, s.b) += k;
        if (system.eliminates(s.a) || system.eliminates(s.b)) continue;
        q(s.a, s.b) -= k;
        q(s.b, s.a) -= k;
    }
    return q;
}

TEST(System, FactorMultipliesToQ) {
    for (const twang_energy energy : {TWANG_HOOKE, TWANG_STVK})
        for (const twang_pin_method method : pin_methods)
            for (const Net& net : {random_net(1, 30), cloth_net(6, 5), block_net(2, 2, 2, 0.2)}) {
                std::shared_ptr<const System> system;
                ASSERT_EQ(core::make_system(key_of(net, method, 0.02, {0, 3}, energy), system),
                          TWANG_OK);
                const Eigen::MatrixXd l = dense_lower(system->lower), q = expected_q(*system);
                // Entry by entry: pins make the diagonal very uneven.
                const Eigen::VectorXd scale = q.diagonal().cwiseSqrt();
                EXPECT_LT(((l * l.transpose() - q).array() / (scale * scale.transpose()).array())
                              .abs()
                              .maxCoeff(),
                          1e-13);
            }
}

TEST(System, SolvesWithQ) {
    std::shared_ptr<const System> system;
    ASSERT_EQ(core::make_system(key_of(random_net(2, 40), TWANG_PIN_PENALTY, 0.02, {5}), system),
              TWANG_OK);
    Random random(1);
    std::vector<Vec3> b(40);
    for (Vec3& v : b) v = random.vector(1.0);
    const Eigen::Map<Eigen::Matrix<double, 40, 3, Eigen::RowMajor>> columns(&b.data()->x);
    const Eigen::MatrixXd expected = expected_q(*system).llt().solve(columns);
    core::SolveScratch scratch(*system);
    core::Jobs alone(1);
    core::solve(*system, scratch, alone, b.data());
    EXPECT_LT((columns - expected).norm(), 1e-10 * expected.norm());
}

TEST(System, PenaltyPinsWeighMuchMoreThanTheirVertex) {
    const Net net = random_net(3, 25);
    std::shared_ptr<const System> held, free, eliminated;
    ASSERT_EQ(core::make_system(key_of(net, TWANG_PIN_PENALTY, 0.01, {4, 9}), held), TWANG_OK);
    ASSERT_EQ(core::make_system(key_of(net, TWANG_PIN_PENALTY, 0.01, {}), free), TWANG_OK);
    ASSERT_EQ(core::make_system(key_of(net, TWANG_PIN_ELIMINATION, 0.01, {4}), eliminated),
              TWANG_OK);
    const Eigen::VectorXd diagonal = expected_q(*free).diagonal();
    for (std::uint32_t i = 0; i < net.size(); ++i) {
        const std::uint32_t user = held->key.model->to_user[i];
        if (user == 4 || user == 9)
            EXPECT_NEAR(held->pin_weights[i] / diagonal[i], 1e7, 1.0);
        else
            EXPECT_EQ(held->pin_weights[i], 0.0);
        EXPECT_EQ(eliminated->pin_weights[i], 0.0);
        EXPECT_EQ(eliminated->eliminates(i), user == 4);
        EXPECT_FALSE(held->eliminates(i));
    }
}

TEST(System, CacheSharesWhatIsAlikeAndForgetsTheRest) {
    const Net net = cloth_net(4, 4);
    const SystemKey key = key_of(net, TWANG_PIN_PENALTY, 0.01, {0});
    core::SystemCache cache;
    std::shared_ptr<const System> first, same, other;
    ASSERT_EQ(cache.fetch(key, first), TWANG_OK);
    ASSERT_EQ(cache.fetch(key, same), TWANG_OK);
    EXPECT_EQ(first, same);
    const auto differs = [&](auto&& change) {
        SystemKey changed = key;
        change(changed);
        EXPECT_EQ(cache.fetch(changed, other), TWANG_OK);
        return other != first;
    };
    EXPECT_TRUE(differs([](SystemKey& k) { k.time_step = 0.02; }));
    EXPECT_TRUE(differs([](SystemKey& k) { k.energy = TWANG_STVK; }));
    EXPECT_TRUE(differs([](SystemKey& k) { k.method = TWANG_PIN_ELIMINATION; }));
    EXPECT_TRUE(differs([](SystemKey& k) { k.held[7] ^= 1; }));
    EXPECT_TRUE(differs([&](SystemKey& k) { k.model = inner_model(net.def()); }));
    EXPECT_FALSE(differs([](SystemKey&) {}));
    std::weak_ptr<const System> watch = first;
    first = same = other = nullptr;
    EXPECT_TRUE(watch.expired()); // the cache itself keeps nothing alive
}

TEST(System, BodiesOfOneModelShareOneFactor) {
    const Net net = cloth_net(5, 5);
    const Model model = net.model();
    World world{WorldDef{.workers = 1, .refactor_delay = 0}};
    const Body one = world.add(model), two = world.add(model);
    Body three = world.add(model);
    EXPECT_EQ(one.precomputation().shared_by, 3);
    ASSERT_EQ(three.pin(0), TWANG_OK);
    ASSERT_EQ(world.step(), TWANG_OK);
    EXPECT_EQ(three.precomputation().shared_by, 3); // one pin more needs no other factor
    for (std::uint32_t i = 1; i < 20; ++i) ASSERT_EQ(three.pin(i), TWANG_OK);
    ASSERT_EQ(world.step(), TWANG_OK); // twenty do
    EXPECT_EQ(one.precomputation().shared_by, 2);
    EXPECT_EQ(three.precomputation().shared_by, 1);
    EXPECT_EQ(three.precomputation().factorings, 2);
    const Precomputation p = two.precomputation();
    EXPECT_EQ(p.n, net.size());
    EXPECT_EQ(p.q_nonzeros, net.size() + net.springs.size());
    EXPECT_GE(p.l_nonzeros, p.q_nonzeros);
}

// A free body far stiffer than it is heavy: its rigid motion drowns in the rounding of the springs.
TEST(System, RefusesToLoseAllDigits) {
    Net net = chain_net(20, 0.1, 1e-9, 1e9);
    std::shared_ptr<const System> system;
    const Status status = core::make_system(key_of(net, TWANG_PIN_PENALTY, 1.0, {}), system);
    EXPECT_TRUE(status == TWANG_ILL_CONDITIONED || status == TWANG_FACTOR_FAILED)
        << twang_status_name(status);
    EXPECT_EQ(system, nullptr);
    net = chain_net(20, 0.1, 1e-6, 1e9);
    EXPECT_EQ(core::make_system(key_of(net, TWANG_PIN_PENALTY, 1.0, {}), system),
              TWANG_ILL_CONDITIONED);
    EXPECT_NE(std::string(core::last_error()).find("time step"), std::string::npos);
    EXPECT_EQ(system, nullptr);
    // The same held somewhere is no trouble.
    EXPECT_EQ(core::make_system(key_of(net, TWANG_PIN_ELIMINATION, 1.0, {0}), system), TWANG_OK);
}

// Where springs are so stiff that a light, free body would be thrown about by the rounding of their
// forces, the best precision is double; cloth as it is, and the same pinned, keeps float.
TEST(System, BestTakesDoubleWhereFloatWouldThrowTheBodyAbout) {
    struct Case {
        double size, mass;
        std::uint32_t pins;
        twang_precision best;
    };
    const std::uint32_t corners[] = {0, 20};
    for (const auto& [size, mass, pins, best] :
         {Case{1.0, 0.2, 0, TWANG_PRECISION_FLOAT}, Case{1.0, 1e-4, 0, TWANG_PRECISION_FLOAT},
          Case{1.0, 1e-7, 0, TWANG_PRECISION_DOUBLE}, Case{1.0, 1e-7, 2, TWANG_PRECISION_FLOAT},
          Case{1e-3, 2e-7, 0, TWANG_PRECISION_DOUBLE}, Case{1e-3, 2e-7, 2, TWANG_PRECISION_FLOAT}})
        for (const twang_solver solver : {TWANG_SOLVER_LOCAL_GLOBAL, TWANG_SOLVER_NEWTON_CG}) {
            World world(WorldDef{.workers = 1, .solver = default_solver(solver)});
            Body body = world.add(
                Model::cloth({.columns = 21, .rows = 21, .spacing = size / 20.0, .mass = mass}),
                {.pins = corners, .pin_count = pins});
            EXPECT_EQ(body.precomputation().precision, best) << size << " m, " << mass << " kg";
            ASSERT_EQ(body.pin(0), TWANG_OK);
            ASSERT_EQ(body.pin(20), TWANG_OK);
            for (int i = 0; i < 100; ++i) ASSERT_EQ(world.step(), TWANG_OK) << last_error();
            EXPECT_LT(body.measure().max_stretch, 0.02);
        }
}

// Hundreds of pins side by side are more than half's digits can hold: with few of them it stays
// half, with many it becomes float, also while the body moves.
TEST(System, HalfBecomesFloatWhereItIsTooCoarse) {
    const std::uint32_t side = 100;
    World world(
        twang_world_def{.workers = 1, .precision = TWANG_PRECISION_HALF, .refactor_delay = 0});
    Body body = world.add(Model::cloth({.columns = side, .rows = side, .spacing = 0.01}));
    body.pin(0);
    ASSERT_EQ(world.step(), TWANG_OK) << last_error();
    EXPECT_EQ(body.precomputation().precision, TWANG_PRECISION_HALF);
    for (std::uint32_t r = 0; r < 12; ++r)
        for (std::uint32_t c = 0; c < 13; ++c) body.pin((r + 33) * side + c + 33);
    ASSERT_EQ(world.step(), TWANG_OK) << last_error();
    EXPECT_EQ(body.precomputation().precision, TWANG_PRECISION_FLOAT);
    ASSERT_EQ(world.step(), TWANG_OK) << last_error();
    EXPECT_LT(body.measure().max_stretch, 0.1);
}

TEST(System, RefusesWhatOverflows) {
    Net net = chain_net(3, 1.0, 1.0, 1e308);
    net.join(0, 2, 1e308);
    std::shared_ptr<const System> system;
    EXPECT_EQ(core::make_system(key_of(net, TWANG_PIN_PENALTY, 1.0, {}), system),
              TWANG_FACTOR_FAILED);
    net = chain_net(3, 1.0, 1.0, 1.0);
    EXPECT_EQ(core::make_system(key_of(net, TWANG_PIN_PENALTY, 1e-200, {}), system),
              TWANG_FACTOR_FAILED);
}

} // namespace
} // namespace twang::test
