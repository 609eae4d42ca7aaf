// Linearly implicit Euler: one exact solve of (M + h^2 K) v' = M v + h f, computed here densely
// from formulas of its own; K projected, and the report saying so, where the exact one is not
// positive.
#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

#include "scenes.hpp"

namespace twang::test {
namespace {

Eigen::Vector3d eigen(Vec3 v) { return {v.x, v.y, v.z}; }

// The answer by dense algebra; vertices in `settings.pins` are taken out of the system.
struct Dense {
    Eigen::MatrixXd matrix; // M + h^2 K
    Eigen::VectorXd right;  // M v + h f

    Dense(const Net& net, const Settings& settings, bool projected) {
        const Eigen::Index n = 3 * net.size();
        matrix = Eigen::MatrixXd::Zero(n, n);
        right = Eigen::VectorXd::Zero(n);
        const double h = settings.h;
        for (Eigen::Index i = 0; i < n / 3; ++i) {
            matrix.diagonal().segment<3>(3 * i).array() += net.masses[i];
            right.segment<3>(3 * i) +=
                net.masses[i] * (eigen(settings.velocities[i]) + h * eigen(settings.gravity));
        }
        for (const SpringDef& s : net.springs) {
            const Eigen::Vector3d d = eigen(settings.positions[s.a] - settings.positions[s.b]);
            const double l = d.norm(), r = s.rest_length, k = s.stiffness;
            Eigen::Vector3d gradient;
            Eigen::Matrix3d block;
            const auto one = Eigen::Matrix3d::Identity();
            if (settings.energy == TWANG_HOOKE) {
                gradient = k * (1.0 - r / l) * d;
                block = k * ((1.0 - r / l) * one + (r / (l * l * l)) * (d * d.transpose()));
            } else {
                gradient = 2.0 * k * (l * l / (r * r) - 1.0) * d;
                block = 2.0 * k * (l * l / (r * r) - 1.0) * one +
                        (4.0 * k / (r * r)) * (d * d.transpose());
            }
            if (projected) {
                const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> e(block);
                block = e.eigenvectors() * e.eigenvalues().cwiseMax(0.0).asDiagonal() *
                        e.eigenvectors().transpose();
            }
            const Eigen::Index a = 3 * s.a, b = 3 * s.b;
            matrix.block<3, 3>(a, a) += h * h * block;
            matrix.block<3, 3>(b, b) += h * h * block;
            matrix.block<3, 3>(a, b) -= h * h * block;
            matrix.block<3, 3>(b, a) -= h * h * block;
            right.segment<3>(a) -= h * gradient;
            right.segment<3>(b) += h * gradient;
        }
        for (const std::uint32_t pin : settings.pins) {
            matrix.middleRows<3>(3 * pin).setZero();
            matrix.middleCols<3>(3 * pin).setZero();
            matrix.block<3, 3>(3 * pin, 3 * pin).setIdentity();
            right.segment<3>(3 * pin).setZero();
        }
    }
    bool positive() const { return matrix.llt().info() == Eigen::Success; }
    Eigen::VectorXd velocities() const { return matrix.ldlt().solve(right); }
};

Settings moving(const Net& net, double scale, double h) {
    Random random(1);
    Settings settings;
    settings.solver = TWANG_SOLVER_LINEAR;
    settings.h = h;
    settings.positions = net.positions;
    for (Vec3& p : settings.positions) {
        p = scale * p;
        settings.velocities.push_back(random.vector(1.0));
    }
    return settings;
}

class Linear : public testing::TestWithParam<twang_energy> {};

TEST_P(Linear, IsOneExactSolve) {
    for (const bool pinned : {false, true}) {
        const Net net = random_net(2, 20);
        Settings settings = moving(net, 1.3, 0.01);
        settings.energy = GetParam();
        settings.pin_method = TWANG_PIN_ELIMINATION;
        if (pinned) settings.pins = {0, 9};
        const Dense dense(net, settings, false);
        ASSERT_TRUE(dense.positive());
        Simulation run(net, settings);
        ASSERT_EQ(run.step(), TWANG_OK);
        EXPECT_EQ(run.body.report().projected_systems, 0);
        EXPECT_EQ(run.body.report().iterations, 1);
        const Eigen::VectorXd expected = dense.velocities();
        const std::vector<Vec3> v = run.velocities(), x = run.positions();
        EXPECT_LT((flat(v) - expected).norm(), 1e-10 * expected.norm());
        EXPECT_LT((flat(x) - flat(settings.positions) - settings.h * expected).norm(), 1e-12);
    }
}

// Springs pressed to a tenth of their length, and a step long enough to feel it.
TEST_P(Linear, ProjectsWhereCompressed) {
    const Net net = random_net(3, 20);
    Settings settings = moving(net, 0.1, 0.05);
    settings.energy = GetParam();
    settings.pin_method = TWANG_PIN_ELIMINATION;
    settings.pins = {4};
    ASSERT_FALSE(Dense(net, settings, false).positive());
    Simulation run(net, settings);
    ASSERT_EQ(run.step(), TWANG_OK);
    EXPECT_EQ(run.body.report().projected_systems, 1);
    const Eigen::VectorXd expected = Dense(net, settings, true).velocities();
    EXPECT_LT((flat(run.velocities()) - expected).norm(), 1e-9 * expected.norm());
}

// Some springs compressed, the whole still positive definite: K stays as it is.
TEST_P(Linear, KeepsTheExactMatrixWhileItIsPositive) {
    const Net net = random_net(3, 20);
    Settings settings = moving(net, 0.7, 0.003);
    settings.energy = GetParam();
    const Dense exact(net, settings, false), projected(net, settings, true);
    ASSERT_TRUE(exact.positive());
    const Eigen::VectorXd expected = exact.velocities();
    ASSERT_GT((projected.velocities() - expected).norm(), 1e-4 * expected.norm());
    Simulation run(net, settings);
    ASSERT_EQ(run.step(), TWANG_OK);
    EXPECT_EQ(run.body.report().projected_systems, 0);
    EXPECT_LT((flat(run.velocities()) - expected).norm(), 1e-10 * expected.norm());
}

INSTANTIATE_TEST_SUITE_P(Energies, Linear, testing::Values(TWANG_HOOKE, TWANG_STVK),
                         [](const auto& info) {
                             return std::string(info.param == TWANG_HOOKE ? "hooke" : "stvk");
                         });

// A penalty is a spring of the system like any other; the pin ends on its target.
TEST(Linear, PenaltyPinsAreImplicit) {
    const Net net = random_net(4, 20);
    Settings settings = moving(net, 1.2, 0.01);
    settings.pins = {3};
    Simulation run(net, settings);
    const Vec3 target = settings.positions[3] + Vec3{0.05, 0.0, -0.02};
    ASSERT_EQ(run.body.pin(3, target), TWANG_OK);
    ASSERT_EQ(run.step(), TWANG_OK);
    EXPECT_LT(length(run.positions()[3] - target), 1e-6 * size_of(net.positions));
}

} // namespace
} // namespace twang::test
