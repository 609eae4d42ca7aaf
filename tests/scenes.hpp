// What the tests of the engine share: small spring networks, a body run by any solver, and the
// inside of a body laid open for one step.
#ifndef TWANG_TESTS_SCENES_HPP
#define TWANG_TESTS_SCENES_HPP

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <Eigen/Core>
#include <twang/twang.hpp>

#include "closed_form.hpp"
#include "model/build.hpp"
#include "solver/context.hpp"

namespace twang::test {

using core::operator+;
using core::operator-;
using core::operator*;
using core::operator+=;
using core::operator-=;
using core::dot;
using core::length;

inline constexpr std::array implicit_solvers{TWANG_SOLVER_LOCAL_GLOBAL, TWANG_SOLVER_NEWTON,
                                             TWANG_SOLVER_NEWTON_CG, TWANG_SOLVER_LINEAR};
inline constexpr std::array moving_solvers{TWANG_SOLVER_LOCAL_GLOBAL, TWANG_SOLVER_NEWTON,
                                           TWANG_SOLVER_NEWTON_CG, TWANG_SOLVER_LINEAR,
                                           TWANG_SOLVER_SYMPLECTIC};
inline constexpr std::array all_solvers{TWANG_SOLVER_LOCAL_GLOBAL, TWANG_SOLVER_NEWTON,
                                        TWANG_SOLVER_NEWTON_CG,    TWANG_SOLVER_LINEAR,
                                        TWANG_SOLVER_SYMPLECTIC,   TWANG_SOLVER_STATIC};
inline constexpr std::array pin_methods{TWANG_PIN_PENALTY, TWANG_PIN_ELIMINATION};

inline std::string solver_name(twang_solver solver) {
    constexpr std::array names{"local_global", "newton",     "newton_cg",
                               "linear",       "symplectic", "static"};
    return names[solver];
}
// Tells value-parameterised tests apart by their solver.
struct SolverName {
    template <class Info>
    std::string operator()(const Info& info) const {
        return solver_name(info.param);
    }
};

// The same numbers with every compiler and library.
class Random {
public:
    explicit Random(std::uint64_t seed) : engine_(seed) {}
    double uniform(double low, double high) {
        return low + (high - low) * (static_cast<double>(engine_() >> 11) * 0x1p-53);
    }
    double log_uniform(double low, double high) {
        return std::exp(uniform(std::log(low), std::log(high)));
    }
    std::uint32_t below(std::uint32_t limit) {
        return static_cast<std::uint32_t>(engine_() % limit);
    }
    Vec3 vector(double extent) {
        return {uniform(-extent, extent), uniform(-extent, extent), uniform(-extent, extent)};
    }
    Vec3 direction() {
        for (;;) {
            const Vec3 v = vector(1.0);
            if (const double l = length(v); l > 0.1 && l < 1.0) return (1.0 / l) * v;
        }
    }

private:
    std::mt19937_64 engine_;
};

// ---- Networks --------------------------------------------------------------------------------

// Vertices and springs, one by one: easy to turn, shift, renumber and read back.
struct Net {
    std::vector<Vec3> positions;
    std::vector<double> masses;
    std::vector<SpringDef> springs;

    void join(std::uint32_t a, std::uint32_t b, double stiffness, double rest = TWANG_MEASURED) {
        springs.push_back({a, b, stiffness, rest, TWANG_STRUCTURAL});
    }
    std::uint32_t size() const { return static_cast<std::uint32_t>(positions.size()); }
    MeshDef def() const {
        MeshDef def;
        def.positions = &positions.data()->x;
        def.vertex_count = size();
        def.masses = masses.data();
        def.springs = springs.data();
        def.spring_count = static_cast<std::uint32_t>(springs.size());
        return def;
    }
    Model model() const { return Model::mesh(def()); }
};

inline std::shared_ptr<const core::Model> inner_model(const MeshDef& def) {
    core::Network network;
    std::shared_ptr<const core::Model> model;
    EXPECT_EQ(core::build_mesh(def, network), TWANG_OK) << core::last_error();
    EXPECT_EQ(core::make_model(std::move(network), model), TWANG_OK) << core::last_error();
    return model;
}

// What a builder derives, spelt out.
inline Net spelt_out(const core::Network& network) {
    Net net{network.positions, network.masses, {}};
    for (const core::Spring& s : network.springs)
        net.springs.push_back({s.a, s.b, s.stiffness, s.rest_length, s.kind});
    return net;
}

inline Net cloth_net(const ClothDef& def) {
    core::Network network;
    EXPECT_EQ(core::build_cloth(def, network), TWANG_OK) << core::last_error();
    return spelt_out(network);
}

// A cloth of about 1 m and 0.2 kg, flat in the plane z = 0.
inline Net cloth_net(std::uint32_t columns, std::uint32_t rows) {
    ClothDef def;
    def.columns = columns;
    def.rows = rows;
    def.spacing = 1.0 / std::max(columns - 1, 1u);
    return cloth_net(def);
}

// n vertices from the origin along `direction`, joined in a row.
inline Net chain_net(std::uint32_t n, double spacing, double mass, double stiffness,
                     Vec3 direction = {0.0, -1.0, 0.0}) {
    Net net;
    for (std::uint32_t i = 0; i < n; ++i) {
        net.positions.push_back((spacing * i) * direction);
        net.masses.push_back(mass);
        if (i > 0) net.join(i - 1, i, stiffness);
    }
    return net;
}

// Random points in a cube of 2 m, each joined with some before it; stiffness and mass vary.
inline Net random_net(std::uint64_t seed, std::uint32_t n, std::uint32_t springs_each = 3) {
    Random random(seed);
    Net net;
    for (std::uint32_t i = 0; i < n; ++i) {
        net.positions.push_back(random.vector(1.0));
        net.masses.push_back(random.log_uniform(0.1, 1.0));
        const std::uint32_t first = i > 0 ? random.below(i) : 0;
        for (std::uint32_t k = 0; k < std::min(i, springs_each); ++k) {
            const double stiffness = random.log_uniform(10.0, 1000.0);
            net.join((first + k) % i, i, stiffness, random.uniform(0.2, 1.5));
        }
    }
    return net;
}

// The tetrahedra of a lattice of cubes, five to a cube or six: six here, all alike.
struct Lattice {
    std::vector<Vec3> positions;
    std::vector<std::uint32_t> tetrahedra;

    Lattice(std::uint32_t nx, std::uint32_t ny, std::uint32_t nz, double spacing) {
        const auto at = [&](std::uint32_t x, std::uint32_t y, std::uint32_t z) {
            return (z * (ny + 1) + y) * (nx + 1) + x;
        };
        for (std::uint32_t z = 0; z <= nz; ++z)
            for (std::uint32_t y = 0; y <= ny; ++y)
                for (std::uint32_t x = 0; x <= nx; ++x)
                    positions.push_back({spacing * x, spacing * y, spacing * z});
        // Every way from one corner of a cube to the opposite one along its edges is a tetrahedron.
        for (std::uint32_t z = 0; z < nz; ++z)
            for (std::uint32_t y = 0; y < ny; ++y)
                for (std::uint32_t x = 0; x < nx; ++x) {
                    std::array axes{0, 1, 2};
                    do {
                        std::uint32_t corner[3] = {x, y, z};
                        tetrahedra.push_back(at(x, y, z));
                        for (const int axis : axes) {
                            ++corner[axis];
                            tetrahedra.push_back(at(corner[0], corner[1], corner[2]));
                        }
                    } while (std::next_permutation(axes.begin(), axes.end()));
                }
    }
    MeshDef def() const {
        MeshDef def;
        def.positions = &positions.data()->x;
        def.vertex_count = static_cast<std::uint32_t>(positions.size());
        def.tetrahedra = tetrahedra.data();
        def.tetrahedron_count = static_cast<std::uint32_t>(tetrahedra.size() / 4);
        return def;
    }
};

inline Net block_net(std::uint32_t nx, std::uint32_t ny, std::uint32_t nz, double spacing) {
    const Lattice lattice(nx, ny, nz, spacing);
    core::Network network;
    EXPECT_EQ(core::build_mesh(lattice.def(), network), TWANG_OK) << core::last_error();
    return spelt_out(network);
}

// What the springs do to each vertex at x, in N.
inline std::vector<Vec3> spring_forces(const Net& net, twang_energy energy,
                                       const std::vector<Vec3>& x) {
    std::vector<Vec3> force(net.size());
    for (const SpringDef& s : net.springs) {
        const double rest = s.rest_length == TWANG_MEASURED
                                ? length(net.positions[s.a] - net.positions[s.b])
                                : s.rest_length;
        const Vec3 pull =
            core::spring_gradient(energy, s.stiffness, rest, x[s.a] - x[s.b], s.a < s.b).gradient;
        force[s.a] -= pull;
        force[s.b] += pull;
    }
    return force;
}

inline double size_of(const std::vector<Vec3>& points) {
    const Eigen::Map<const Eigen::Matrix3Xd> columns(&points.data()->x, 3,
                                                     static_cast<Eigen::Index>(points.size()));
    return (columns.rowwise().maxCoeff() - columns.rowwise().minCoeff()).norm();
}

// The longest difference between vertices of the same number.
inline double distance(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
    EXPECT_EQ(a.size(), b.size());
    double most = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i)
        if (const double l = length(a[i] - b[i]); !(l <= most)) most = l; // keeps a NaN
    return most;
}

// ---- A body in a world -----------------------------------------------------------------------

struct Settings {
    twang_solver solver = TWANG_SOLVER_NEWTON;
    int iterations = 0;      // 0: the solver's own
    double tolerance = -1.0; // below 0: the solver's own
    double h = 1.0 / 60.0;
    Vec3 gravity{0.0, -9.8, 0.0};
    twang_pin_method pin_method = TWANG_PIN_PENALTY;
    twang_acceleration acceleration = TWANG_ACCELERATION_NONE;
    twang_precision precision = TWANG_PRECISION_BEST;
    twang_arithmetic arithmetic = TWANG_ARITHMETIC_FAST;
    double damping = 0.0;
    twang_energy energy = TWANG_HOOKE;
    twang_integrator integrator = TWANG_BDF2;
    double numerical_damping = 0.0;
    std::int32_t refactor_delay = TWANG_BY_SIZE;
    std::vector<std::uint32_t> pins{};
    std::vector<Vec3> positions{};  // empty: the rest shape
    std::vector<Vec3> velocities{}; // empty: at rest

    SolverDef solver_def() const {
        SolverDef def = default_solver(solver);
        if (iterations > 0) def.iterations = iterations;
        if (tolerance >= 0.0) def.tolerance = tolerance;
        def.acceleration = acceleration;
        def.integrator = integrator;
        def.numerical_damping = numerical_damping;
        return def;
    }
};

struct Simulation {
    World world;
    Body body;

    Simulation(const Net& net, const Settings& settings) : world(world_def(settings)) {
        BodyDef def;
        def.energy = settings.energy;
        def.pins = settings.pins.data();
        def.pin_count = static_cast<std::uint32_t>(settings.pins.size());
        if (!settings.positions.empty()) def.positions = &settings.positions.data()->x;
        if (!settings.velocities.empty()) def.velocities = &settings.velocities.data()->x;
        const SolverDef solver = settings.solver_def();
        def.solver = &solver;
        body = world.add(net.model(), def);
    }
    // Steps until something fails.
    Status step(int count = 1) {
        for (int i = 0; i < count; ++i)
            if (const Status s = world.step(); s != TWANG_OK) return s;
        return TWANG_OK;
    }
    std::vector<Vec3> positions() const {
        std::vector<Vec3> xyz(body.vertex_count());
        EXPECT_EQ(body.copy_positions({&xyz.data()->x, 3 * xyz.size()}), TWANG_OK);
        return xyz;
    }
    std::vector<Vec3> velocities() const {
        std::vector<Vec3> xyz(body.vertex_count());
        EXPECT_EQ(body.copy_velocities({&xyz.data()->x, 3 * xyz.size()}), TWANG_OK);
        return xyz;
    }

private:
    static WorldDef world_def(const Settings& settings) {
        WorldDef def;
        def.time_step = settings.h;
        def.gravity = settings.gravity;
        def.workers = 1;
        def.pin_method = settings.pin_method;
        def.precision = settings.precision;
        def.arithmetic = settings.arithmetic;
        def.damping = settings.damping;
        def.refactor_delay = settings.refactor_delay;
        return def;
    }
};

// How far the momentum of a free body, shaken and without gravity, has come after so many steps;
// relative. Infinite where a step fails.
inline double momentum_drift(const Net& net, Settings settings, int steps) {
    Random random(6);
    settings.gravity = {};
    for (std::uint32_t i = 0; i < net.size(); ++i)
        settings.velocities.push_back(Vec3{1.0, 0.5, -0.3} + random.vector(1.0));
    Simulation run(net, settings);
    const Vec3 before = run.body.measure().momentum;
    if (run.step(steps) != TWANG_OK) return INFINITY;
    return length(run.body.measure().momentum - before) / length(before);
}

// What g was at the start of each iteration, step by step.
class Objectives {
public:
    explicit Objectives(World& world) { world.set_iteration_callback(note, this); }
    const std::vector<std::vector<double>>& steps() const { return steps_; }
    // The largest rise from one iteration to the next, relative to g.
    double worst_rise() const {
        double worst = 0.0;
        for (const auto& g : steps_)
            for (std::size_t i = 1; i < g.size(); ++i)
                worst = std::max(worst, (g[i] - g[i - 1]) / std::abs(g[i - 1]));
        return worst;
    }

private:
    static void note(void* user, const twang_iteration* now) {
        auto& steps = static_cast<Objectives*>(user)->steps_;
        if (now->iteration == 0) steps.emplace_back();
        steps.back().push_back(now->objective);
    }
    std::vector<std::vector<double>> steps_;
};

// A cloth of 9 x 9, let go crumpled from two corners.
inline Settings crumpled(const Net& net, double h, twang_solver solver, twang_pin_method method) {
    Settings settings;
    settings.solver = solver;
    settings.pin_method = method;
    settings.h = h;
    settings.pins = {0, 8};
    settings.positions = net.positions;
    Random random(5);
    for (std::size_t i = 0; i < net.size(); ++i)
        if (i != 0 && i != 8)
            settings.positions[i] = 0.6 * settings.positions[i] + random.vector(0.05);
    return settings;
}

// ---- The inside of one step ------------------------------------------------------------------

// An objective with everything it looks at; vertices count in elimination order.
struct Problem {
    std::shared_ptr<const core::Model> model;
    core::Pins pins;
    std::shared_ptr<const core::System> system;
    core::UpdatedSystem live;
    std::vector<Vec3> y, forces;
    twang_energy energy;
    double inertia; // 1/s^2; 0: a static problem
    mutable core::VertexArray<double> weights;
    core::Jobs jobs{1};
    core::BlockSum sum;

    Problem(const Net& net, twang_energy spring_energy, twang_pin_method method, double h,
            const std::vector<std::uint32_t>& held)
        : model(inner_model(net.def())),
          pins(net.size()),
          y(model->rest_positions),
          forces(net.size()),
          energy(spring_energy),
          inertia(1.0 / (h * h)),
          weights(net.size()),
          sum(net.size()) {
        for (const std::uint32_t user : held) {
            const std::uint32_t vertex = model->to_inner[user];
            pins.pin(vertex, model->rest_positions[vertex]);
        }
        pins.apply_changes(model->rest_positions.data());
        EXPECT_EQ(core::make_system({model, energy, method, TWANG_PRECISION_DOUBLE,
                                     TWANG_ARITHMETIC_PORTABLE, h, pins.held()},
                                    system),
                  TWANG_OK)
            << core::last_error();
        if (system) live.rebase(system);
    }
    core::Objective objective() const {
        for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = inertia * model->masses[i];
        return {*model, *model,   live,          pins,
                energy, y.data(), forces.data(), inertia > 0.0 ? weights.data() : nullptr};
    }
    double value(const std::vector<Vec3>& x) {
        return core::value(objective(), x.data(), jobs, sum);
    }
    std::vector<Vec3> gradient(const std::vector<Vec3>& x) {
        std::vector<Vec3> gradient(x.size());
        core::evaluate(objective(), x.data(), gradient.data(), jobs, sum);
        return gradient;
    }
};

inline Eigen::Map<const Eigen::VectorXd> flat(const std::vector<Vec3>& v) {
    return {&v.data()->x, static_cast<Eigen::Index>(3 * v.size())};
}

// A symmetric matrix from its lower triangle, and a triangular one.
inline Eigen::MatrixXd dense_symmetric(const core::Pattern& pattern,
                                       const std::vector<double>& values) {
    Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(pattern.n, pattern.n);
    for (int c = 0; c < pattern.n; ++c)
        for (int k = pattern.column_start[c]; k < pattern.column_start[c + 1]; ++k)
            dense(pattern.rows[k], c) = dense(c, pattern.rows[k]) = values[k];
    return dense;
}
inline Eigen::MatrixXd dense_lower(const core::LowerFactor& lower) {
    Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(lower.n, lower.n);
    for (int c = 0; c < lower.n; ++c)
        for (int k = lower.column_start[c]; k < lower.column_start[c + 1]; ++k)
            dense(lower.rows[k], c) = lower.values[k];
    return dense;
}

} // namespace twang::test

#endif // TWANG_TESTS_SCENES_HPP
