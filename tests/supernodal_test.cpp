// The factor in panels: every entry of L has its place, and solving with plain or AVX2 kernels, in
// double, float and half, agrees with the plain columns; the same bits for any number of workers.
#include "linear/supernodal.hpp"

#include "base/cpu.hpp"
#include "linear/batch_supernodal.hpp"
#include "linear/supernodal_solve.hpp"
#include "linear/triangular_solve.hpp"
#include "scenes.hpp"

namespace twang::test {
namespace {

using core::LowerFactor;
using core::Panels;
using core::Supernode;

Net union_of(const Net& a, const Net& b) {
    Net both = a;
    both.positions.insert(both.positions.end(), b.positions.begin(), b.positions.end());
    both.masses.insert(both.masses.end(), b.masses.begin(), b.masses.end());
    for (SpringDef s : b.springs) {
        s.a += a.size();
        s.b += a.size();
        both.springs.push_back(s);
    }
    return both;
}

Net large_cloth() { return cloth_net(61, 55); } // enough vertices for tasks of their own

// Few vertices and many, wide panels and narrow ones, whole blocks of 8 rows and not.
std::vector<Net> nets() {
    return {random_net(1, 3),     random_net(2, 203, 5),
            cloth_net(17, 14),    block_net(5, 4, 4, 0.2),
            large_cloth(),        chain_net(50, 0.1, 0.01, 100.0),
            random_net(3, 64, 0), union_of(cloth_net(9, 9), chain_net(30, 0.1, 0.01, 100.0))};
}

LowerFactor factor_of(const Net& net, twang_pin_method method) {
    const auto model = inner_model(net.def());
    std::vector<char> held(net.size(), 0);
    held[model->to_inner[0]] = held[model->to_inner[net.size() / 2]] = 1;
    std::shared_ptr<const core::System> system;
    EXPECT_EQ(core::make_system({model, TWANG_HOOKE, method, TWANG_PRECISION_DOUBLE,
                                 TWANG_ARITHMETIC_PORTABLE, 1.0 / 60.0, held},
                                system),
              TWANG_OK)
        << core::last_error();
    return system->lower;
}

std::vector<Vec3> right_hand_side(int n) {
    Random random(4);
    std::vector<Vec3> b(n);
    for (Vec3& v : b) v = random.vector(1.0);
    return b;
}

// As panels want it: xyz0, and room for what padding reads and writes.
template <class Real>
std::vector<Real> padded(const std::vector<Vec3>& b) {
    std::vector<Real> v;
    for (const Vec3& a : b) v.insert(v.end(), {Real(a.x), Real(a.y), Real(a.z), Real(0)});
    v.resize(v.size() + 32);
    return v;
}

template <class Real>
std::vector<Vec3> unpadded(const std::vector<Real>& v) {
    std::vector<Vec3> b;
    for (std::size_t i = 0; i + 32 < v.size(); i += 4) b.push_back({v[i], v[i + 1], v[i + 2]});
    return b;
}

double relative_error(const std::vector<Vec3>& a, const std::vector<Vec3>& expected) {
    return (flat(a) - flat(expected)).norm() / flat(expected).norm();
}

// One supernode after the other, without tasks, on the kernels of our choice.
template <class Stored, class Real>
void solve_with(const core::PanelKernels<Stored, Real>& kernels, const Panels& panels,
                const Stored* p, const Real* d, std::vector<Real>& v) {
    core::PanelScratch<Real> scratch(panels);
    const auto scale = [&] {
        for (std::size_t i = 0; i < 4 * panels.scale.size(); ++i) v[i] *= panels.scale[i / 4];
    };
    scale();
    const std::int32_t* rows = panels.rows.data();
    const auto& nodes = panels.supernodes;
    for (const Supernode& node : nodes)
        kernels.forward(node, p + node.panel, rows + node.rows, v.data(), v.data());
    for (auto node = nodes.rbegin(); node != nodes.rend(); ++node)
        kernels.backward(*node, p + node->panel, d + node->diagonal, rows + node->rows, v.data(),
                         scratch.rooms.back().data());
    scale();
}

enum class By { scalar_kernels, avx2_kernels, panel_solve };

// Q^-1 b, of a factor stored in `precision`.
std::vector<Vec3> solved(By by, const LowerFactor& lower, twang_precision precision,
                         const std::vector<Vec3>& b, int workers = 1) {
    Panels panels;
    core::make_panels(lower, precision, panels);
    core::Jobs jobs(workers);
    const auto solve = [&](const auto* p, const auto* d) {
        using Stored = std::decay_t<decltype(*p)>;
        using Real = std::decay_t<decltype(*d)>;
        std::vector<Real> v = padded<Real>(b);
        if (by == By::panel_solve) {
            core::PanelScratch<Real> scratch(panels);
            core::panel_solve(panels, v.data(), scratch, jobs);
        } else
            solve_with(by == By::scalar_kernels ? core::scalar_kernels<Stored, Real>()
                                                : core::avx2_kernels<Stored, Real>(),
                       panels, p, d, v);
        return unpadded(v);
    };
    if (precision == TWANG_PRECISION_DOUBLE)
        return solve(panels.p_double.data(), panels.d_double.data());
    if (precision == TWANG_PRECISION_HALF)
        return solve(panels.p_half.data(), panels.d_float.data());
    return solve(panels.p_float.data(), panels.d_float.data());
}

struct Bound {
    twang_precision precision;
    double error;
};
constexpr Bound bounds[] = {
    {TWANG_PRECISION_DOUBLE, 5e-15}, {TWANG_PRECISION_FLOAT, 5e-7}, {TWANG_PRECISION_HALF, 5e-4}};

// Where few vertices are pushed and asked for, the supernodes on their paths suffice, bit by bit.
TEST(Panels, PathsSufficeForFewVertices) {
    Random random(5);
    for (const Net& net : nets())
        for (const int count : {1, 5, 40}) {
            const LowerFactor lower = factor_of(net, TWANG_PIN_PENALTY);
            Panels panels;
            core::make_panels(lower, TWANG_PRECISION_FLOAT, panels);
            core::PanelScratch<float> scratch(panels);
            core::Jobs jobs(2);
            core::PanelPaths paths;
            paths.start(panels);
            std::vector<Vec3> b(lower.n);
            std::vector<std::uint32_t> few;
            for (int k = 0; k < count; ++k) {
                few.push_back(static_cast<std::uint32_t>(random.below(lower.n)));
                b[few.back()] = random.vector(1.0);
                paths.add(panels, few.back());
            }
            std::vector<float> all = padded<float>(b), some = all;
            core::panel_solve(panels, all.data(), scratch, jobs);
            core::panel_solve(panels, some.data(), scratch, jobs, &paths);
            for (const std::uint32_t i : few)
                for (int axis = 0; axis < 3; ++axis)
                    ASSERT_EQ(some[4 * i + axis], all[4 * i + axis]) << i << " of " << lower.n;
            int visited = 0;
            const int supernodes = static_cast<int>(panels.supernodes.size());
            for (int s = 0; s < supernodes; ++s) visited += paths.visit(s);
            if (count == 1 && supernodes > 20) {
                EXPECT_LT(visited, supernodes / 2);
            }
        }
}

TEST(Panels, SolveLikePlainColumns) {
    for (const Bound& bound : bounds)
        for (const Net& net : nets())
            for (const twang_pin_method method : pin_methods) {
                const LowerFactor lower = factor_of(net, method);
                const std::vector<Vec3> b = right_hand_side(lower.n);
                std::vector<Vec3> expected = b;
                core::triangular_solve(lower, expected.data());
                for (const By by : {By::scalar_kernels, By::avx2_kernels, By::panel_solve}) {
                    if (by == By::avx2_kernels && !core::cpu_has_avx2()) continue;
                    EXPECT_LT(relative_error(solved(by, lower, bound.precision, b), expected),
                              bound.error)
                        << net.size() << " vertices";
                }
            }
}

TEST(Panels, PlainAndAvx2KernelsAgree) {
    if (!core::cpu_has_avx2()) GTEST_SKIP() << "no AVX2 here";
    for (const Net& net : nets()) {
        const LowerFactor lower = factor_of(net, TWANG_PIN_PENALTY);
        const std::vector<Vec3> b = right_hand_side(lower.n);
        for (const twang_precision precision : {TWANG_PRECISION_FLOAT, TWANG_PRECISION_HALF})
            EXPECT_LT(relative_error(solved(By::avx2_kernels, lower, precision, b),
                                     solved(By::scalar_kernels, lower, precision, b)),
                      5e-7);
    }
}

// Every block of a panel has its own place, and they fill it.
TEST(Panels, BlocksLieSideBySide) {
    for (int blocks = 0; blocks < 6; ++blocks)
        for (const int width : {1, 2, 7}) {
            std::vector<int> seen(8 * blocks * width, 0);
            for (int b = 0; b < blocks; ++b)
                for (int c = 0; c < width; ++c)
                    for (int lane = 0; lane < 8; ++lane)
                        ++seen.at(core::place_of(b, blocks, width, c) + lane);
            EXPECT_EQ(seen, std::vector<int>(seen.size(), 1));
        }
}

TEST(Panels, HaveTheSameBitsForAnyWorkers) {
    const LowerFactor lower = factor_of(large_cloth(), TWANG_PIN_PENALTY);
    const std::vector<Vec3> b = right_hand_side(lower.n);
    for (const Bound& bound : bounds) {
        const auto first = solved(By::panel_solve, lower, bound.precision, b);
        for (const int workers : {2, 3, 8})
            EXPECT_EQ(distance(solved(By::panel_solve, lower, bound.precision, b, workers), first),
                      0.0)
                << workers << " workers";
    }
}

// ---- Where things are ------------------------------------------------------------------------

struct Structure : testing::Test {
    // The supernode of each column, and the task of each supernode; -1 for the top.
    static std::vector<int> nodes_of_columns(const Panels& panels) {
        std::vector<int> node_of;
        for (std::size_t s = 0; s < panels.supernodes.size(); ++s)
            node_of.insert(node_of.end(), panels.supernodes[s].width, static_cast<int>(s));
        return node_of;
    }
    static std::vector<int> tasks_of_nodes(const Panels& panels) {
        std::vector<int> task_of(panels.supernodes.size(), -1);
        for (std::size_t t = 0; t < panels.tasks.size(); ++t)
            for (const int s : panels.tasks[t]) task_of[s] = static_cast<int>(t);
        return task_of;
    }
    static std::vector<std::int32_t> rows_of(const Panels& panels, const Supernode& node, int begin,
                                             int end) {
        const std::int32_t* rows = panels.rows.data() + node.rows;
        std::vector<std::int32_t> unscaled(rows + 8 * begin, rows + 8 * end);
        for (std::int32_t& row : unscaled) {
            EXPECT_EQ(row % 4, 0);
            row = row / 4 == node.first ? panels.n : row / 4; // padding
        }
        return unscaled;
    }
};

TEST_F(Structure, CoversEveryColumnAndEverySupernodeOnce) {
    for (const Net& net : nets()) {
        Panels panels;
        core::make_panels(factor_of(net, TWANG_PIN_PENALTY), TWANG_PRECISION_FLOAT, panels);
        EXPECT_EQ(panels.n, static_cast<int>(net.size()));
        int next = 0;
        for (const Supernode& node : panels.supernodes) {
            EXPECT_EQ(node.first, next);
            EXPECT_GT(node.width, 0);
            EXPECT_LE(node.width, panels.widest);
            next += node.width;
        }
        EXPECT_EQ(next, panels.n);

        std::vector<int> listed = panels.top;
        EXPECT_TRUE(std::is_sorted(listed.begin(), listed.end()));
        for (const std::vector<int>& task : panels.tasks) {
            EXPECT_TRUE(std::is_sorted(task.begin(), task.end()));
            listed.insert(listed.end(), task.begin(), task.end());
        }
        std::sort(listed.begin(), listed.end());
        std::vector<int> all(panels.supernodes.size());
        std::iota(all.begin(), all.end(), 0);
        EXPECT_EQ(listed, all);

        std::vector<char> is_top(panels.n, 0), in_range(panels.n, 0);
        for (const int s : panels.top)
            std::fill_n(is_top.begin() + panels.supernodes[s].first, panels.supernodes[s].width, 1);
        for (const auto& [begin, end] : panels.top_columns)
            std::fill(in_range.begin() + begin, in_range.begin() + end, 1);
        EXPECT_EQ(is_top, in_range);
    }
}

TEST_F(Structure, HoldsEveryEntryOfTheFactorInOnePlace) {
    for (const Net& net : nets()) {
        const LowerFactor lower = factor_of(net, TWANG_PIN_PENALTY);
        Panels panels;
        core::make_panels(lower, TWANG_PRECISION_FLOAT, panels);
        for (const Supernode& node : panels.supernodes) {
            const int end = node.first + node.width;
            std::vector<int> listed;
            for (const std::int32_t row : rows_of(panels, node, 0, node.blocks))
                if (row < panels.n) listed.push_back(row);
            // Below the supernode: the rows of its last column, each once.
            const int last = lower.column_start[end - 1];
            EXPECT_EQ(listed, std::vector<int>(lower.rows.begin() + last + 1,
                                               lower.rows.begin() + lower.column_start[end]));
            for (int column = node.first; column < end; ++column)
                for (int k = lower.column_start[column]; k < lower.column_start[column + 1]; ++k)
                    EXPECT_TRUE(lower.rows[k] < end ||
                                std::binary_search(listed.begin(), listed.end(), lower.rows[k]));
        }
    }
}

// Rows inside the subtree come first, those of the top after them; each part ascends and is filled
// up to whole blocks by padding, whose values are 0.
TEST_F(Structure, SeparatesTasksAndPadsWithZeros) {
    bool padding_seen = false;
    for (const Net& net : nets()) {
        Panels panels;
        core::make_panels(factor_of(net, TWANG_PIN_PENALTY), TWANG_PRECISION_FLOAT, panels);
        const std::vector<int> node_of = nodes_of_columns(panels);
        const std::vector<int> task_of = tasks_of_nodes(panels);
        for (std::size_t s = 0; s < panels.supernodes.size(); ++s) {
            const Supernode& node = panels.supernodes[s];
            const auto inner = rows_of(panels, node, 0, node.inner_blocks);
            const auto outer = rows_of(panels, node, node.inner_blocks, node.blocks);
            EXPECT_TRUE(std::is_sorted(inner.begin(), inner.end()));
            EXPECT_TRUE(std::is_sorted(outer.begin(), outer.end()));
            for (const std::int32_t row : inner) {
                EXPECT_GE(row, node.first + node.width);
                if (row < panels.n) {
                    EXPECT_EQ(task_of[node_of[row]], task_of[s]);
                }
            }
            for (const std::int32_t row : outer)
                if (row < panels.n) {
                    EXPECT_EQ(task_of[node_of[row]], -1);
                }

            const auto all = rows_of(panels, node, 0, node.blocks);
            const float* p = panels.p_float.data() + node.panel;
            for (std::size_t i = 0; i < all.size(); ++i) {
                if (all[i] < panels.n) continue;
                padding_seen = true;
                for (int c = 0; c < node.width; ++c)
                    EXPECT_EQ(
                        p[core::place_of(static_cast<int>(i / 8), node.blocks, node.width, c) +
                          i % 8],
                        0.0f);
            }
        }
    }
    EXPECT_TRUE(padding_seen);
}

TEST_F(Structure, OnlyLargeFactorsHaveTasks) {
    Panels panels;
    core::make_panels(factor_of(large_cloth(), TWANG_PIN_PENALTY), TWANG_PRECISION_FLOAT, panels);
    ASSERT_GT(panels.tasks.size(), 1u);
    std::size_t in_tasks = 0;
    for (const std::vector<int>& task : panels.tasks) in_tasks += task.size();
    EXPECT_GT(in_tasks, panels.top.size());
    core::make_panels(factor_of(cloth_net(17, 14), TWANG_PIN_PENALTY), TWANG_PRECISION_FLOAT,
                      panels);
    EXPECT_TRUE(panels.tasks.empty());
}

TEST(Panels, SideBySideEveryBodyGetsTheBitsItWouldGetAlone) {
    using core::batch_width, core::vertex_stride;
    for (const Net& net : nets()) {
        Panels panels;
        core::make_panels(factor_of(net, TWANG_PIN_PENALTY), TWANG_PRECISION_FLOAT, panels);
        const std::size_t n = net.size();
        ASSERT_EQ(core::supports_batch(panels), core::cpu_has_avx2() && n < 3000);
        if (!core::supports_batch(panels)) continue;
        core::PanelScratch<float> scratch(panels);
        core::Jobs jobs(1);
        core::AlignedArray<float> together(vertex_stride * (n + 8)),
            fresh(core::batch_scratch_size(panels));
        std::vector<core::VertexArray<core::Float4>> alone;
        Random random(1);
        for (int k = 0; k < batch_width; ++k) {
            alone.emplace_back(n);
            for (std::size_t i = 0; i < n; ++i) {
                const Vec3 b = random.vector(1.0);
                alone[k][i] = {float(b.x), float(b.y), float(b.z), 0.0f};
                for (int c = 0; c < 3; ++c)
                    together.data()[vertex_stride * i + batch_width * c + k] = (&alone[k][i].x)[c];
            }
        }
        core::batch_solve(panels, together.data(), fresh.data());
        for (int k = 0; k < batch_width; ++k) {
            core::panel_solve(panels, &alone[k].data()->x, scratch, jobs);
            for (std::size_t i = 0; i < n; ++i)
                for (int c = 0; c < 3; ++c)
                    ASSERT_EQ((&alone[k][i].x)[c],
                              together.data()[vertex_stride * i + batch_width * c + k]);
        }
    }
}

} // namespace
} // namespace twang::test
