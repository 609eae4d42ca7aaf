// A body at rest without gravity does not move by a single bit in 10,000 steps.
#include "api_support.hpp"
#include "closed_form.hpp"

using namespace api;

namespace {

struct Case {
    twang_solver solver;
    twang_pin_method method;
    twang_integrator integrator;
    bool held;
};

std::vector<Case> every_case() {
    std::vector<Case> cases;
    for (const twang_solver solver : dynamic_solvers)
        for (const twang_pin_method method : pin_methods)
            for (const twang_integrator integrator : twang::test::integrators)
                for (const bool held : {false, true})
                    if (integrator == twang::test::taken(integrator, solver))
                        cases.push_back({solver, method, integrator, held});
    return cases;
}

class Rest : public testing::TestWithParam<Case> {};

} // namespace

TEST_P(Rest, IsRestToTheLastBit) {
    const Case& c = GetParam();
    twang_world_def def = plain(c.solver);
    def.gravity = {};
    def.pin_method = c.method;
    def.solver.integrator = c.integrator;
    // Positions without a short binary form, springs along no axis.
    twang_cloth_def cloth_def;
    cloth_def.columns = cloth_def.rows = 4;
    cloth_def.spacing = 0.037;
    cloth_def.origin = {0.1, -0.7, 1.3};
    cloth_def.across = {0.6, 0.3, 0.74};
    cloth_def.down = {0.2, -0.9, 0.1};
    const Model model = make_model(cloth_def);
    const World world = make_world(def);
    const twang_body body = add(
        world, model, c.held ? std::vector<std::uint32_t>{0, 3, 9} : std::vector<std::uint32_t>{});
    const auto begin = bits(world, body);
    for (int hundred = 0; hundred < (sanitized ? 10 : 100); ++hundred) {
        ASSERT_TRUE(steps(world, 100));
        ASSERT_TRUE(same(bits(world, body), begin)) << "after " << 100 * (hundred + 1) << " steps";
    }
    const twang_measures m = measures(world, body);
    EXPECT_EQ(m.kinetic_energy, 0.0);
    EXPECT_EQ(m.elastic_energy, 0.0);
}

INSTANTIATE_TEST_SUITE_P(EverySolver, Rest, testing::ValuesIn(every_case()), [](const auto& info) {
    const Case& c = info.param;
    return std::string(name(c.solver)) + (c.method ? "_elimination" : "_penalty") +
           (c.held ? "_pinned_" : "_free_") + twang::test::integrator_name(c.integrator);
});

TEST(RestElsewhere, FollowsATeleportAndStaysThere) {
    // Moved as a whole to numbers that are exact, a cloth is at rest there too.
    twang_world_def def = plain();
    def.gravity = {};
    twang_cloth_def cloth_def;
    cloth_def.columns = cloth_def.rows = 4;
    cloth_def.spacing = 0.25;
    const Model model = make_model(cloth_def);
    const World world = make_world(def);
    const twang_body body = add(world, model);
    std::vector<double> xyz = positions(world, body);
    for (std::size_t i = 0; i < xyz.size(); ++i) xyz[i] += i % 3 == 0 ? 8.5 : -2.0;
    ASSERT_TRUE(ok(twang_body_set_positions(world.get(), body, xyz.data(), 16)));
    const auto begin = bits(world, body);
    ASSERT_TRUE(steps(world, 1000));
    EXPECT_TRUE(same(bits(world, body), begin));
}

TEST(RestElsewhere, ANegativeZeroIsZeroFromTheStart) {
    twang_world_def def = plain();
    def.gravity = {};
    Scene s(3, 3, def);
    std::vector<double> xyz = positions(s.world, s.body);
    for (double& value : xyz) value = value == 0.0 ? -0.0 : value;
    ASSERT_TRUE(ok(twang_body_set_positions(s.world.get(), s.body, xyz.data(), 9)));
    const auto begin = bits(s.world, s.body);
    ASSERT_TRUE(steps(s.world, 10));
    EXPECT_TRUE(same(bits(s.world, s.body), begin));
}
