// The coarse correction: the grid and its weights, the skyline matrices, and the whole operator
// against dense algebra.
#include "system/coarse.hpp"

#include <Eigen/Cholesky>
#include <Eigen/QR>

#include "base/cpu.hpp"
#include "linear/skyline_factor.hpp"
#include "scenes.hpp"

namespace twang::test {
namespace {

using core::CoarseSpace;
using core::CoarseSystem;
using core::Float4;
using core::SkylineBlock;
using core::SkylineShape;
using core::VertexArray;

// ---- The grid --------------------------------------------------------------------------------

Net tilted_cloth() {
    ClothDef def;
    def.columns = 21;
    def.rows = 15;
    def.across = {0.6, 0.64, 0.48};
    def.down = {0.8, -0.48, -0.36};
    return cloth_net(def);
}
Net chain() { return chain_net(150, 0.02, 0.01, 100.0, {0.6, 0.0, 0.8}); }

// U, with a row for each vertex and a column for each node.
Eigen::MatrixXd dense_weights(const CoarseSpace& space, const std::vector<float>& weight) {
    const std::size_t corners = space.corners;
    Eigen::MatrixXd u = Eigen::MatrixXd::Zero(weight.size() / corners, space.nodes);
    for (std::size_t c = 0; c < weight.size(); ++c) u(c / corners, space.node[c]) += weight[c];
    return u;
}

std::vector<CoarseSpace> spaces_of(const Net& net) {
    return {core::make_coarse_space(net.positions, false),
            core::make_coarse_space(net.positions, true)};
}

TEST(CoarseSpace, WeightsSumToOneAndFollowLinearMotions) {
    for (const Net& net : {cloth_net(21, 15), tilted_cloth(), chain(), block_net(9, 7, 6, 0.1)})
        for (const CoarseSpace& space : spaces_of(net)) {
            ASSERT_GT(space.nodes, 0);
            for (const float w : space.weight) {
                EXPECT_GE(w, 0.0f);
                EXPECT_LE(w, 1.0f);
            }
            const Eigen::MatrixXd u = dense_weights(space, space.weight);
            EXPECT_LT((u.rowwise().sum().array() - 1.0).abs().maxCoeff(), 3e-7);
            // x, y and z themselves are among the motions of the nodes.
            const Eigen::MatrixXd x =
                Eigen::Map<const Eigen::Matrix3Xd>(&net.positions.data()->x, 3, net.size())
                    .transpose();
            const Eigen::MatrixXd nodes = u.completeOrthogonalDecomposition().solve(x);
            EXPECT_LT((u * nodes - x).cwiseAbs().maxCoeff(), 3e-7 * size_of(net.positions));
        }
}

// The weights of a cell go on linearly beyond it, and are those of the vertices in it.
TEST(CoarseSpace, WeightsOfACellAreLinear) {
    Random random(4);
    for (const Net& net : {tilted_cloth(), chain(), block_net(9, 7, 6, 0.1)}) {
        const CoarseSpace space = core::make_coarse_space(net.positions, true);
        const core::CoarseGrid& grid = space.grid;
        for (int trial = 0; trial < 100; ++trial) {
            const std::size_t i = random.below(static_cast<int>(net.size()));
            std::uint16_t nodes[8];
            double weights[8];
            grid.find_corners(space.cell[i], net.positions[i], nodes, weights);
            for (int c = 0; c < space.corners; ++c) {
                EXPECT_EQ(nodes[c], space.node[i * space.corners + c]);
                EXPECT_NEAR(weights[c], space.weight[i * space.corners + c], 2e-6);
            }
            // Another vertex, in this cell or not.
            const Vec3 point = net.positions[random.below(static_cast<int>(net.size()))];
            grid.find_corners(space.cell[i], point, nodes, weights);
            Vec3 sum{};
            for (int c = 0; c < space.corners; ++c) sum += weights[c] * grid.node_at(nodes[c]);
            EXPECT_LT(length(sum - point), 1e-4 * size_of(net.positions));
        }
    }
}

TEST(CoarseSpace, IsFlatWhereTheBodyIs) {
    for (const bool in_air : {false, true}) {
        const auto space = [&](const Net& net) {
            return core::make_coarse_space(net.positions, in_air);
        };
        EXPECT_EQ(space(chain()).corners, 2);
        EXPECT_EQ(space(cloth_net(21, 15)).corners, 4);
        EXPECT_EQ(space(tilted_cloth()).corners, 4);
        EXPECT_EQ(space(block_net(9, 7, 6, 0.1)).corners, 8);
        EXPECT_EQ(space(tilted_cloth()).nodes, space(cloth_net(21, 15)).nodes);
        EXPECT_GT(space(cloth_net(40, 40)).nodes, space(cloth_net(20, 20)).nodes);
        EXPECT_LE(space(cloth_net(80, 80)).nodes,
                  in_air ? CoarseSpace::max_nodes : core::max_coarse_nodes);
    }
}

TEST(CoarseSpace, IsFinerInTheAirWhereTheBodyIsFlat) {
    const auto nodes = [](const Net& net) {
        const std::vector<CoarseSpace> spaces = spaces_of(net);
        return std::pair{spaces[0].nodes, spaces[1].nodes};
    };
    EXPECT_EQ(nodes(cloth_net(80, 80)), (std::pair{7 * 7, 14 * 14}));
    EXPECT_EQ(nodes(block_net(9, 7, 6, 0.1)).first, nodes(block_net(9, 7, 6, 0.1)).second);
}

TEST(CoarseSpace, ASmallBodyMovesWithOneNode) {
    for (const bool in_air : {false, true})
        for (const std::vector<Vec3>& positions :
             {cloth_net(9, 9).positions, chain_net(20, 0.1, 1.0, 1.0).positions,
              std::vector<Vec3>{{1.0, 2.0, 3.0}}, std::vector<Vec3>(1000)}) { // all in one place
            const CoarseSpace space = core::make_coarse_space(positions, in_air);
            EXPECT_EQ(space.nodes, 1);
            EXPECT_EQ(space.corners, 1);
            EXPECT_EQ(space.weight, std::vector<float>(positions.size(), 1.0f));
        }
}

// ---- Skyline matrices ------------------------------------------------------------------------

// A = L L^T with L inside the skyline: nothing of A is outside either.
template <int B>
struct RandomSkyline {
    SkylineShape shape;
    Eigen::MatrixXd dense;
    std::vector<SkylineBlock<B>> blocks;

    RandomSkyline(Random& random, int rows) {
        std::vector<int> first(rows);
        for (int a = 0; a < rows; ++a) first[a] = static_cast<int>(random.below(a + 1));
        shape = SkylineShape(first);
        Eigen::MatrixXd lower = Eigen::MatrixXd::Zero(B * rows, B * rows);
        for (int i = 0; i < B * rows; ++i) {
            for (int j = B * first[i / B]; j < i; ++j) lower(i, j) = random.uniform(-0.5, 0.5);
            lower(i, i) = random.uniform(1.0, 2.0);
        }
        dense = lower * lower.transpose();
        read();
    }
    void read() {
        blocks.assign(shape.blocks(), {});
        for (int a = 0; a < shape.rows(); ++a)
            for (int b = shape.first[a]; b <= a; ++b)
                for (int i = 0; i < B; ++i)
                    for (int j = 0; j < B; ++j)
                        blocks[shape.at(a, b)].v[j][i] = dense(B * a + i, B * b + j);
    }
};

// By which kernels a matrix of 3 x 3 blocks is factored and solved.
std::vector<core::CoarseKernels<float>> all_kernels() {
    std::vector<core::CoarseKernels<float>> kernels{core::scalar_coarse<float>()};
    if (core::cpu_has_avx2()) kernels.push_back(core::avx2_coarse());
    return kernels;
}

// Numbers for blocks have three right-hand sides, 3 x 3 blocks have one.
template <int B>
double skyline_error(Random& random, int rows, const core::CoarseKernels<float>& kernels) {
    RandomSkyline<B> matrix(random, rows);
    constexpr int columns = 3 / B;
    using Sides = Eigen::Matrix<double, Eigen::Dynamic, columns,
                                columns == 1 ? Eigen::ColMajor : Eigen::RowMajor>;
    const Sides sides =
        Sides::NullaryExpr(B * rows, columns, [&] { return random.uniform(-1.0, 1.0); });
    const Sides expected = matrix.dense.llt().solve(sides);
    std::vector<core::SkylineRow> x(rows);
    for (int k = 0; k < 3 * rows; ++k) x[k / 3].v[k % 3] = sides.data()[k];
    if constexpr (B == 3) {
        EXPECT_TRUE(kernels.factor(matrix.shape, matrix.blocks.data()));
        kernels.solve(matrix.shape, matrix.blocks.data(), x.data());
    } else {
        EXPECT_TRUE(core::factor_skyline(matrix.shape, matrix.blocks.data()));
        kernels.solve_constant(matrix.shape, matrix.blocks.data(), x.data());
    }
    double error = 0.0;
    for (int k = 0; k < 3 * rows; ++k)
        error = std::max(error, std::abs(x[k / 3].v[k % 3] - expected.data()[k]));
    return error / expected.norm();
}

TEST(Skyline, SolvesLikeDenseCholesky) {
    Random random(1);
    for (const auto& kernels : all_kernels())
        for (const int rows : {1, 2, 3, 4, 7, 30}) {
            EXPECT_LT(skyline_error<1>(random, rows, kernels), 5e-14);
            EXPECT_LT(skyline_error<3>(random, rows, kernels), 5e-14);
        }
}

// As deep inside the matrix as the last row, and by whatever kernel.
TEST(Skyline, RefusesWhatIsNotPositiveDefinite) {
    Random random(2);
    for (const int at : {0, 10, 23}) {
        RandomSkyline<3> matrix(random, 8);
        matrix.dense(at, at) -= 20.0;
        matrix.read();
        for (const auto& kernels : all_kernels()) {
            auto blocks = matrix.blocks;
            EXPECT_FALSE(kernels.factor(matrix.shape, blocks.data()));
        }
    }
    SkylineShape shape({0, 0});
    SkylineBlock<1> singular[3];
    for (SkylineBlock<1>& block : singular) block.v[0][0] = 4.0;
    EXPECT_FALSE(core::factor_skyline(shape, singular));
}

TEST(Skyline, RowsWithoutAnythingStandAlone) {
    SkylineShape shape({0, 1, 0});
    std::vector<SkylineBlock<1>> blocks(shape.blocks());
    blocks[shape.at(0, 0)].v[0][0] = 4.0;
    blocks[shape.at(2, 0)].v[0][0] = 2.0;
    blocks[shape.at(2, 2)].v[0][0] = 5.0;
    ASSERT_TRUE(core::factor_skyline(shape, blocks.data()));
    core::SkylineRow x[3] = {{{8.0}}, {{3.0}}, {{4.0}}};
    core::solve_skyline(shape, blocks.data(), x);
    EXPECT_NEAR(x[0].v[0], 2.0, 1e-15);
    EXPECT_NEAR(x[1].v[0], 3.0, 1e-15); // as if there were a 1
    EXPECT_NEAR(x[2].v[0], 0.0, 1e-15);
}

// ---- The correction --------------------------------------------------------------------------

// A body pulled out of shape, with its coarse system, and the same by dense algebra.
struct Coarse {
    Problem p;
    VertexArray<Vec3> x;
    Random random{9};
    bool in_air; // on the fine grid

    Coarse(const Net& net, const std::vector<std::uint32_t>& held, bool on_fine_grid = true)
        : p(net, TWANG_HOOKE, TWANG_PIN_PENALTY, 1.0 / 60.0, held),
          x(p.model->rest_positions),
          in_air(on_fine_grid) {
        for (Vec3& v : x)
            v = Vec3{1.1 * v.x + 0.2 * v.y * v.y, 0.9 * v.y, v.z - 0.3 * v.x * v.y} +
                random.vector(0.1 *
                              length(p.model->rest_positions[0] -
                                     p.model->rest_positions[p.model->links.begin(0)->other]));
    }
    const core::Model& model() const { return *p.model; }
    const CoarseSystem& system() const { return in_air ? p.system->fine_grid : p.system->coarse; }
    const CoarseSpace& space() const { return *system().space; }

    // The weights at end a of a spring less those at b; on a fine grid those of the cell where the
    // middle of the spring is, at both ends. Held vertices follow nothing.
    Eigen::VectorXd difference(const Eigen::MatrixXd& u, const core::Spring& spring) const {
        const std::vector<Vec3>& x = model().rest_positions;
        const auto [low, high] = std::minmax(space().cell[spring.a], space().cell[spring.b]);
        const std::uint32_t middle = space().grid.cell_at(0.5 * (x[spring.a] + x[spring.b]));
        Eigen::VectorXd d = Eigen::VectorXd::Zero(space().nodes);
        for (const auto& [vertex, sign] : {std::pair{spring.a, 1.0}, {spring.b, -1.0}}) {
            if (u.row(vertex).sum() == 0.0) continue;
            const std::uint32_t cell = !space().one_cell_per_spring ? space().cell[vertex]
                                       : middle == high             ? high
                                                                    : low;
            std::uint16_t nodes[8];
            double weights[8];
            space().grid.find_corners(cell, x[vertex], nodes, weights);
            for (int c = 0; c < space().corners; ++c) d[nodes[c]] += sign * weights[c];
        }
        return d;
    }

    // U^T H U, and U^T Q U with every spring's block its stiffness.
    struct Matrices {
        Eigen::MatrixXd h, q;
    };
    Matrices matrices(const Eigen::MatrixXd& u) {
        const Eigen::Index nodes = u.cols();
        Matrices m{Eigen::MatrixXd::Zero(3 * nodes, 3 * nodes),
                   Eigen::MatrixXd::Zero(3 * nodes, 3 * nodes)};
        const auto add = [&](Eigen::MatrixXd& to, const Eigen::VectorXd& d,
                             const Eigen::Matrix3d& block) {
            for (Eigen::Index a = 0; a < nodes; ++a)
                for (Eigen::Index b = 0; b < nodes; ++b)
                    if (d[a] != 0.0 && d[b] != 0.0)
                        to.block<3, 3>(3 * a, 3 * b) += d[a] * d[b] * block;
        };
        const Eigen::Matrix3d one = Eigen::Matrix3d::Identity();
        for (Eigen::Index i = 0; i < u.rows(); ++i)
            for (Eigen::MatrixXd* to : {&m.h, &m.q})
                add(*to, u.row(i).transpose(), p.inertia * model().masses[i] * one);
        std::vector<core::SpringHessian> curve(model().springs.size());
        core::compute_spring_hessians(p.objective(), x.data(), true, curve.data(), p.jobs);
        for (std::size_t s = 0; s < curve.size(); ++s) {
            const core::Spring& spring = model().springs[s];
            const Eigen::VectorXd d = difference(u, spring);
            const Eigen::Vector3d n(curve[s].n.x, curve[s].n.y, curve[s].n.z);
            add(m.h, d,
                curve[s].across * one + (curve[s].along - curve[s].across) * n * n.transpose());
            add(m.q, d, spring.stiffness * one);
        }
        for (Eigen::MatrixXd* to : {&m.h, &m.q})
            for (Eigen::Index i = 0; i < 3 * nodes; ++i)
                if ((*to)(i, i) == 0.0) (*to)(i, i) = 1.0; // nobody follows this node
        return m;
    }
    // U ((U^T H U)^-1 - (U^T Q U)^-1) U^T r
    Eigen::VectorXd expected(const std::vector<Vec3>& r,
                             const std::vector<core::CoarseConstraint>& constraints = {}) {
        const Eigen::MatrixXd u = dense_weights(space(), system().weight);
        Matrices m = matrices(u);
        for (const core::CoarseConstraint& c : constraints) {
            Eigen::Matrix3d k;
            k << c.stiffness.xx, c.stiffness.xy, c.stiffness.xz, c.stiffness.xy, c.stiffness.yy,
                c.stiffness.yz, c.stiffness.xz, c.stiffness.yz, c.stiffness.zz;
            Eigen::VectorXd point = Eigen::VectorXd::Zero(u.cols());
            for (int v = 0; v < c.point.count; ++v)
                point += c.point.weights[v] * u.row(c.point.vertices[v]).transpose();
            for (Eigen::Index a = 0; a < u.cols(); ++a)
                for (Eigen::Index b = 0; b < u.cols(); ++b)
                    m.h.block<3, 3>(3 * a, 3 * b) += point(a) * point(b) * k;
        }
        using Rows = Eigen::Matrix<double, Eigen::Dynamic, 3, Eigen::RowMajor>;
        const Rows restricted = u.transpose() * Eigen::Map<const Rows>(&r.data()->x, r.size(), 3);
        const Eigen::Map<const Eigen::VectorXd> b(restricted.data(), restricted.size());
        const Eigen::VectorXd c = m.h.llt().solve(b) - m.q.llt().solve(b);
        const Rows moved = u * Eigen::Map<const Rows>(c.data(), u.cols(), 3);
        return Eigen::Map<const Eigen::VectorXd>(moved.data(), moved.size());
    }
    template <class V>
    core::CoarseStep prepared() {
        core::CoarseStep step(system(), std::is_same_v<V, Float4>);
        step.prepare<V>(system(), x.data(), 1.0, p.jobs);
        return step;
    }
    template <class V>
    std::vector<Vec3> added(core::CoarseStep& step, const std::vector<Vec3>& r) {
        using Real = decltype(V::x);
        std::vector<V> from(r.size()), to(r.size());
        for (std::size_t i = 0; i < r.size(); ++i)
            from[i].x = Real(r[i].x), from[i].y = Real(r[i].y), from[i].z = Real(r[i].z);
        step.add(system(), from.data(), to.data(), p.jobs);
        std::vector<Vec3> wide;
        for (const V& v : to) wide.push_back({v.x, v.y, v.z});
        return wide;
    }
    std::vector<Vec3> rough() {
        std::vector<Vec3> r(model().vertex_count());
        for (Vec3& v : r) v = random.vector(1.0);
        return r;
    }
    std::vector<Vec3> smooth() {
        std::vector<Vec3> r = model().rest_positions;
        const Vec3 a = random.vector(1.0), b = random.vector(1.0);
        for (Vec3& v : r) v = (1.0 + dot(a, v)) * b;
        return r;
    }
};

struct Case {
    Net net;
    std::vector<std::uint32_t> held;
    bool sampled = false; // cells so large that some springs stand for others
};
// With so few springs that none stands for others, on a fine grid either.
Net sparse_cloth() {
    Net net = cloth_net(30, 30);
    Random random(8);
    std::erase_if(net.springs, [&](const auto&) { return random.uniform(0.0, 1.0) > 0.5; });
    return net;
}
std::vector<Case> cases() {
    return {{chain(), {}},
            {chain(), {0}},
            {cloth_net(21, 15), {}, true},
            {cloth_net(21, 15), {0, 20}, true},
            {tilted_cloth(), {0, 20}, true},
            {cloth_net(30, 30), {0, 29}, true},
            {sparse_cloth(), {}},
            {sparse_cloth(), {0, 29, 450}},
            {block_net(9, 7, 6, 0.1), {}}};
}
Case pinned_block() { return {block_net(9, 7, 6, 0.1), {0, 1, 2, 3}}; }

void expect_dense_algebra(const Case& c, bool on_fine_grid) {
    SCOPED_TRACE(std::to_string(c.net.size()) + " vertices, " + std::to_string(on_fine_grid));
    Coarse coarse(c.net, c.held, on_fine_grid);
    ASSERT_TRUE(coarse.system().usable);
    for (const std::vector<Vec3>& r : {coarse.rough(), coarse.smooth()}) {
        const Eigen::VectorXd expected = coarse.expected(r);
        core::CoarseStep exact = coarse.prepared<Vec3>(), fast = coarse.prepared<Float4>();
        const double size = expected.norm(), sampling = c.sampled ? 0.02 : 0.0;
        EXPECT_LT((flat(coarse.added<Vec3>(exact, r)) - expected).norm(), (3e-6 + sampling) * size);
        EXPECT_LT((flat(coarse.added<Float4>(fast, r)) - expected).norm(),
                  (1e-4 + sampling) * size);
    }
}

TEST(CoarseStep, AddsWhatDenseAlgebraSays) {
    for (const bool on_fine_grid : {false, true})
        for (const Case& c : cases()) expect_dense_algebra(c, on_fine_grid);
}

// Where a cell has eight corners and a pin, its springs span eight directions.
TEST(CoarseStep, AddsWhatDenseAlgebraSaysToAPinnedBlock) {
    expect_dense_algebra(pinned_block(), false);
}

TEST(CoarseStep, TakesBackWhatItAdded) {
    Coarse coarse(cloth_net(21, 15), {0, 20});
    core::CoarseStep step = coarse.prepared<Vec3>();
    const std::vector<Vec3> r = coarse.rough(), before = coarse.rough();
    std::vector<Vec3> q = before;
    step.add(coarse.system(), r.data(), q.data(), coarse.p.jobs);
    EXPECT_GT(distance(q, before), 1e-3);
    step.subtract_last(coarse.system(), q.data(), coarse.p.jobs);
    EXPECT_LT(distance(q, before), 1e-15);
}

TEST(CoarseStep, LeavesPinsAlone) {
    for (const Case& c : {cases()[3], pinned_block()}) {
        Coarse coarse(c.net, c.held);
        core::CoarseStep step = coarse.prepared<Vec3>();
        const std::vector<Vec3> added = coarse.added<Vec3>(step, coarse.rough());
        for (std::size_t i = 0; i < added.size(); ++i)
            EXPECT_EQ(length(added[i]) == 0.0, coarse.p.pins.holds(i));
    }
}

// H never exceeds Q, so the correction takes nothing away, and Q^-1 with it stays positive
// definite.
TEST(CoarseStep, KeepsTheOperatorPositiveDefinite) {
    std::vector<Case> all = cases();
    all.push_back(pinned_block());
    for (const Case& c : all) {
        Coarse coarse(c.net, c.held);
        core::CoarseStep exact = coarse.prepared<Vec3>(), fast = coarse.prepared<Float4>();
        core::SolveScratch scratch(*coarse.p.system);
        for (int trial = 0; trial < 20; ++trial) {
            const std::vector<Vec3> r = trial % 2 ? coarse.rough() : coarse.smooth();
            std::vector<Vec3> q = r;
            core::solve(*coarse.p.system, scratch, coarse.p.jobs, q.data());
            const double plain = flat(r).dot(flat(q));
            for (const std::vector<Vec3>& added :
                 {coarse.added<Vec3>(exact, r), coarse.added<Float4>(fast, r)}) {
                EXPECT_GT(flat(r).dot(flat(added)), -1e-6 * plain);
                EXPECT_GT(plain + flat(r).dot(flat(added)), 0.0);
            }
        }
    }
}

// Vertices 300 to 340 slide on slanted planes, 341 to 360 stick.
TEST(CoarseStep, KnowsTheStiffnessOfContacts) {
    Coarse coarse(cloth_net(30, 25), {0});
    std::vector<core::CoarseConstraint> contacts;
    for (std::uint32_t i = 300; i <= 360; ++i) {
        const Vec3 n = core::direction(coarse.random.vector(1.0));
        const double k = 5000.0, t = i > 340 ? k : 0.0, m = k - t;
        contacts.push_back({core::at_vertex(i),
                            {t + m * n.x * n.x, m * n.x * n.y, m * n.x * n.z, t + m * n.y * n.y,
                             m * n.y * n.z, t + m * n.z * n.z}});
    }
    const std::vector<Vec3> r = coarse.smooth();
    core::CoarseStep exact = coarse.prepared<Vec3>(), fast = coarse.prepared<Float4>();
    const Eigen::VectorXd free = flat(coarse.added<Vec3>(exact, r));
    exact.constrain(contacts);
    exact.prepare<Vec3>(coarse.system(), coarse.x.data(), 1.0, coarse.p.jobs);
    fast.constrain(contacts);
    fast.prepare<Float4>(coarse.system(), coarse.x.data(), 1.0, coarse.p.jobs);
    const Eigen::VectorXd expected = coarse.expected(r, contacts);
    const Eigen::VectorXd held = flat(coarse.added<Vec3>(exact, r));
    EXPECT_LT((held - expected).norm(), 0.02 * expected.norm()); // as without: a sample
    EXPECT_LT((flat(coarse.added<Float4>(fast, r)) - held).norm(), 1e-3 * held.norm());
    EXPECT_GT((held - free).norm(), 0.2 * free.norm());
    // And no longer, when nothing is.
    exact.constrain({});
    exact.prepare<Vec3>(coarse.system(), coarse.x.data(), 1.0, coarse.p.jobs);
    EXPECT_EQ((flat(coarse.added<Vec3>(exact, r)) - free).norm(), 0.0);
}

// Moved as a whole, a body stretches no spring: H and Q agree.
TEST(CoarseStep, AddsNothingToASmallBody) {
    Coarse coarse(cloth_net(9, 9), {});
    EXPECT_EQ(coarse.space().nodes, 1);
    EXPECT_TRUE(coarse.system().usable);
    core::CoarseStep step = coarse.prepared<Vec3>();
    EXPECT_LT(flat(coarse.added<Vec3>(step, coarse.rough())).norm(), 1e-12);
}

TEST(CoarseStep, HasTheSameBitsForAnyWorkers) {
    Coarse coarse(cloth_net(70, 61), {0, 69});
    const std::vector<Vec3> r = coarse.rough();
    std::vector<Vec3> first;
    for (const int workers : {1, 2, 3, 8}) {
        core::Jobs jobs(workers);
        core::CoarseStep step(coarse.system(), false);
        step.prepare<Vec3>(coarse.system(), coarse.x.data(), 1.0, jobs);
        std::vector<Vec3> q(r.size());
        step.add(coarse.system(), r.data(), q.data(), jobs);
        if (first.empty()) first = q;
        EXPECT_EQ(distance(q, first), 0.0) << workers << " workers";
    }
}

TEST(CoarseKernels, PlainAndAvx2Agree) {
    if (!core::cpu_has_avx2()) GTEST_SKIP() << "no AVX2 here";
    for (const Case& c : cases()) {
        Coarse coarse(c.net, c.held);
        const core::CoarseLists& lists = coarse.system().lists;
        std::vector<core::Six<float>> sums[2];
        const core::CoarseKernels<float> kernels[2] = {core::scalar_coarse<float>(),
                                                       core::avx2_coarse()};
        for (int k = 0; k < 2; ++k) {
            sums[k].resize(coarse.system().shape.blocks());
            core::Moments<float> moments;
            for (const core::CoarseGroup& group : lists.groups) {
                kernels[k].gather(lists, group, coarse.x.data(), moments);
                kernels[k].spread(group, moments, sums[k].data());
            }
        }
        double difference = 0.0, size = 0.0;
        for (std::size_t b = 0; b < sums[0].size(); ++b)
            for (int i = 0; i < 6; ++i) {
                difference =
                    std::max<double>(difference, std::abs(sums[0][b].v[i] - sums[1][b].v[i]));
                size = std::max<double>(size, std::abs(sums[0][b].v[i]));
            }
        EXPECT_LT(difference, 2e-6 * size);
    }
}

} // namespace
} // namespace twang::test
