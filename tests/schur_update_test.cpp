// schur_update: pins, releases and grabs on a factor that knows nothing of them, against the system
// made anew and against dense algebra.
#include "system/schur_update.hpp"

#include <Eigen/Dense>

#include "scenes.hpp"

using namespace twang::test;
using namespace twang::core;

namespace {

using Held = std::vector<std::uint32_t>;

struct Live {
    std::shared_ptr<const Model> model;
    std::shared_ptr<const System> made;
    Jobs jobs{1};
    std::vector<char> held;
    std::vector<Grab> grabs;

    Live(const Net& net, twang_precision precision, twang_arithmetic arithmetic,
         twang_pin_method method, const Held& pins)
        : model(inner_model(net.def())), held(net.size(), 0) {
        for (const std::uint32_t user : pins) held[model->to_inner[user]] = 1;
        const Status status = make_system(
            {model, TWANG_HOOKE, method, precision, arithmetic, 1.0 / 60.0, held}, made);
        EXPECT_EQ(status, TWANG_OK) << last_error();
    }
    void hold(std::uint32_t user, bool is_held) { held[model->to_inner[user]] = is_held; }
    void grab(std::uint32_t a, std::uint32_t b, std::uint32_t c, double stiffness) {
        grabs.push_back({{model->to_inner[a], model->to_inner[b], model->to_inner[c]},
                         {0.5, 0.3, 0.2},
                         {},
                         stiffness});
    }
    // Q without pins, with the grabs, dense.
    Eigen::MatrixXd dense() const {
        const std::size_t n = held.size();
        Eigen::MatrixXd q = Eigen::MatrixXd::Zero(n, n);
        for (std::size_t i = 0; i < n; ++i) q(i, i) = model->masses[i] * 3600.0;
        for (const Spring& s : model->springs) {
            q(s.a, s.a) += s.stiffness;
            q(s.b, s.b) += s.stiffness;
            q(s.a, s.b) -= s.stiffness;
            q(s.b, s.a) -= s.stiffness;
        }
        for (const Grab& g : grabs)
            for (int a = 0; a < 3; ++a)
                for (int b = 0; b < 3; ++b)
                    q(g.vertices[a], g.vertices[b]) += g.stiffness * g.weights[a] * g.weights[b];
        return q;
    }
    // The answer for `b` with the held vertices at 0.
    std::vector<Vec3> expected(const std::vector<Vec3>& b) const {
        std::vector<int> free;
        for (std::size_t i = 0; i < held.size(); ++i)
            if (!held[i]) free.push_back(static_cast<int>(i));
        const Eigen::MatrixXd q = dense()(free, free);
        Eigen::MatrixXd right(free.size(), 3);
        for (std::size_t k = 0; k < free.size(); ++k)
            right.row(k) << b[free[k]].x, b[free[k]].y, b[free[k]].z;
        const Eigen::MatrixXd x = q.llt().solve(right);
        std::vector<Vec3> result(held.size());
        for (std::size_t k = 0; k < free.size(); ++k) result[free[k]] = {x(k, 0), x(k, 1), x(k, 2)};
        return result;
    }
    // Largest deviation from it, relative.
    double error(UpdatedSystem& live) {
        SolveScratch scratch(*made);
        live.apply_changes(held, grabs, scratch, jobs);
        Random random(11);
        VertexArray<Vec3> v(held.size());
        std::vector<Vec3> b(held.size());
        for (std::size_t i = 0; i < b.size(); ++i)
            if (!held[i]) v[i] = b[i] = random.vector(1.0);
        const std::vector<Vec3> answer = expected(b);
        solve(live, scratch, jobs, v.data());
        double worst = 0.0, largest = 0.0;
        for (std::size_t i = 0; i < b.size(); ++i) {
            worst = std::max(worst, length(v[i] - answer[i]));
            largest = std::max(largest, length(answer[i]));
            if (held[i] && live.eliminates(i)) {
                EXPECT_EQ(length(v[i]), 0.0) << "held exactly";
            }
        }
        return worst / largest;
    }
};

struct Case {
    twang_precision precision;
    twang_arithmetic arithmetic;
    twang_pin_method method;
    double bound; // a pin by penalty gives way by 1e-7
};
const Case cases[] = {
    {TWANG_PRECISION_DOUBLE, TWANG_ARITHMETIC_PORTABLE, TWANG_PIN_PENALTY, 2e-6},
    {TWANG_PRECISION_DOUBLE, TWANG_ARITHMETIC_PORTABLE, TWANG_PIN_ELIMINATION, 1e-11},
    {TWANG_PRECISION_DOUBLE, TWANG_ARITHMETIC_FAST, TWANG_PIN_ELIMINATION, 1e-11},
    {TWANG_PRECISION_FLOAT, TWANG_ARITHMETIC_FAST, TWANG_PIN_PENALTY, 2e-5},
    {TWANG_PRECISION_FLOAT, TWANG_ARITHMETIC_FAST, TWANG_PIN_ELIMINATION, 2e-5},
    {TWANG_PRECISION_HALF, TWANG_ARITHMETIC_FAST, TWANG_PIN_PENALTY, 5e-3}};

} // namespace

TEST(UpdatedSystem, WithoutChangesIsTheSystemBitForBit) {
    for (const Case& c : cases) {
        Live l(cloth_net(9, 7), c.precision, c.arithmetic, c.method, {0, 8});
        UpdatedSystem live(l.made);
        SolveScratch scratch(*l.made);
        live.apply_changes(l.held, {}, scratch, l.jobs);
        EXPECT_EQ(live.changes(), 0u);
        VertexArray<Vec3> v(l.held.size()), w(l.held.size());
        Random random(3);
        for (std::size_t i = 0; i < v.size(); ++i) v[i] = w[i] = random.vector(1.0);
        solve(live, scratch, l.jobs, v.data());
        solve(*l.made, scratch, l.jobs, w.data());
        for (std::size_t i = 0; i < v.size(); ++i) EXPECT_EQ(length(v[i] - w[i]), 0.0);
    }
}

TEST(UpdatedSystem, PinsReleasesAndGrabsAreExact) {
    for (const Case& c : cases) {
        SCOPED_TRACE(testing::Message() << c.precision << " " << c.arithmetic << " " << c.method);
        Live l(cloth_net(9, 7), c.precision, c.arithmetic, c.method, {0, 8, 1, 9});
        UpdatedSystem live(l.made);
        EXPECT_LE(l.error(live), c.bound);
        l.hold(31, true); // one more
        EXPECT_LE(l.error(live), c.bound);
        EXPECT_EQ(live.changes(), 1u);
        for (const std::uint32_t v : {40u, 41u, 50u, 62u}) l.hold(v, true);
        EXPECT_LE(l.error(live), c.bound);
        l.hold(8, false); // one that the factor was made with
        EXPECT_LE(l.error(live), c.bound);
        l.hold(0, false); // and two that are neighbours
        l.hold(1, false);
        EXPECT_LE(l.error(live), c.bound);
        l.grab(20, 21, 29, 500.0);
        l.grab(0, 1, 9, 1e5); // at released vertices and one that is held
        EXPECT_LE(l.error(live), c.bound);
        EXPECT_EQ(live.changes(), 10u);
        l.hold(40, false);
        l.grabs.erase(l.grabs.begin());
        EXPECT_LE(l.error(live), c.bound);
        l.hold(0, true), l.hold(1, true), l.hold(8, true);
        for (const std::uint32_t v : {31u, 41u, 50u, 62u}) l.hold(v, false);
        l.grabs.clear();
        EXPECT_LE(l.error(live), c.bound);
        EXPECT_EQ(live.changes(), 0u);
    }
}

TEST(UpdatedSystem, AsManyAsThereIsRoomFor) {
    Live l(cloth_net(20, 20), TWANG_PRECISION_FLOAT, TWANG_ARITHMETIC_FAST, TWANG_PIN_PENALTY,
           {0, 19});
    UpdatedSystem live(l.made);
    for (std::uint32_t k = 0; k < max_schur_columns; ++k) l.hold(20 + 5 * k, true);
    EXPECT_LE(l.error(live), 2e-5);
    EXPECT_EQ(live.changes(), max_schur_columns);
}

TEST(UpdatedSystem, MoreThanThereAreColumnsForAreExactToo) {
    Held row;
    for (std::uint32_t k = 0; k < 20; ++k) row.push_back(k);
    for (const Case& c : cases) {
        SCOPED_TRACE(testing::Message() << c.precision << " " << c.arithmetic << " " << c.method);
        Live l(cloth_net(20, 20), c.precision, c.arithmetic, c.method, row);
        UpdatedSystem live(l.made);
        for (std::uint32_t k = 100; k < 170; ++k) l.hold(k, true); // neighbours all of them
        EXPECT_LE(l.error(live), c.bound);
        for (const std::uint32_t k : row) l.hold(k, false);
        l.grab(0, 21, 105, 500.0); // released, free and held
        l.grab(300, 301, 320, 1e5);
        EXPECT_LE(l.error(live), c.bound);
        EXPECT_EQ(live.changes(), 92u);
        for (std::uint32_t k = 100; k < 150; ++k) l.hold(k, false); // few again
        EXPECT_LE(l.error(live), c.bound);
        EXPECT_EQ(live.changes(), 42u);
    }
}

TEST(UpdatedSystem, TheOrderOfChangesDoesNotMatter) {
    const auto run = [](const std::vector<std::uint32_t>& order) {
        Live l(cloth_net(9, 7), TWANG_PRECISION_FLOAT, TWANG_ARITHMETIC_FAST, TWANG_PIN_PENALTY,
               {0});
        UpdatedSystem live(l.made);
        for (const std::uint32_t v : order) {
            l.hold(v, true);
            l.error(live);
        }
        SolveScratch scratch(*l.made);
        VertexArray<Vec3> v(l.held.size());
        Random random(3);
        for (Vec3& a : v) a = random.vector(1.0);
        solve(live, scratch, l.jobs, v.data());
        return std::vector<Vec3>(v.begin(), v.end());
    };
    const auto one = run({30, 20, 45, 50}), other = run({50, 30, 45, 20});
    for (std::size_t i = 0; i < one.size(); ++i) EXPECT_EQ(length(one[i] - other[i]), 0.0);
}

// Columns between the halves of a solve against whole solves: B^T Q^-1 b, B^T Q^-1 B and what is
// left of b, for vertices whose paths part and meet.
TEST(LiveColumns, ActAsWholeSolvesDo) {
    const auto check = [](auto zero, const Live& l, double bound) {
        using V = decltype(zero);
        Jobs jobs(2);
        SolveScratch scratch(*l.made);
        Random random(5);
        const std::size_t n = l.held.size();
        const std::vector<std::uint32_t> from[2] = {{3, 200, 201}, {n > 399 ? 399u : 0u}};
        VertexArray<V> b[2] = {VertexArray<V>(n), VertexArray<V>(n)}, x[2], half[2], rhs(n);
        std::vector<SchurColumn<V>> columns;
        for (int k = 0; k < 2; ++k) {
            for (const std::uint32_t i : from[k])
                put(b[k][i], {0.0, random.uniform(1.0, 2.0), 0.0});
            x[k] = half[k] = b[k];
            solve(*l.made, scratch, jobs, x[k].data());
            solve_forward(*l.made, scratch, jobs, half[k].data(), nullptr);
            columns.emplace_back(*l.made, path_runs(*l.made, from[k]), half[k].data(), 1);
        }
        for (V& v : rhs) put(v, random.vector(1.0));
        const auto in_y = [&](const VertexArray<V>& p, const VertexArray<V>& q) {
            double sum = 0.0;
            for (std::size_t i = 0; i < n; ++i) sum += widen(p[i]).y * widen(q[i]).y;
            return sum;
        };
        for (int r = 0; r < 2; ++r)
            for (int c = 0; c < 2; ++c)
                EXPECT_NEAR(columns[r].coupling(columns[c]), in_y(b[r], x[c]),
                            bound * in_y(b[r], x[r]));
        VertexArray<V> y = rhs, all = rhs;
        solve_forward(*l.made, scratch, jobs, y.data(), nullptr);
        const Vec3 seen = columns[0].dot_with(y.data());
        Vec3 expected{};
        double size = 0.0;
        for (std::size_t i = 0; i < n; ++i) {
            expected += widen(x[0][i]).y * widen(rhs[i]);
            size += std::abs(widen(x[0][i]).y);
        }
        EXPECT_LE(length(seen - expected), bound * size);
        columns[1].apply_transpose({1.0, -2.0, 0.5}, y.data());
        solve_backward(*l.made, scratch, jobs, y.data(), nullptr);
        solve(*l.made, scratch, jobs, all.data());
        double worst = 0.0, largest = 0.0;
        for (std::size_t i = 0; i < n; ++i) {
            const Vec3 less = widen(x[1][i]).y * Vec3{1.0, -2.0, 0.5};
            worst = std::max(worst, length(widen(y[i]) - widen(all[i]) + less));
            largest = std::max(largest, length(widen(all[i])));
        }
        EXPECT_LE(worst, bound * largest);
    };
    const auto made = [](twang_precision precision, twang_arithmetic arithmetic) {
        return Live(cloth_net(20, 20), precision, arithmetic, TWANG_PIN_PENALTY, {0, 19});
    };
    check(Float4{}, made(TWANG_PRECISION_FLOAT, TWANG_ARITHMETIC_FAST), 2e-6);
    check(Float4{}, made(TWANG_PRECISION_HALF, TWANG_ARITHMETIC_FAST), 2e-3);
    check(Vec3{}, made(TWANG_PRECISION_DOUBLE, TWANG_ARITHMETIC_FAST), 1e-12);
    check(Vec3{}, made(TWANG_PRECISION_DOUBLE, TWANG_ARITHMETIC_PORTABLE), 1e-12);
}

// With few vertices pushed and asked for, what changed included, their paths suffice, bit by bit.
TEST(UpdatedSystem, PathsSufficeForFewVertices) {
    for (const twang_precision precision :
         {TWANG_PRECISION_FLOAT, TWANG_PRECISION_DOUBLE, TWANG_PRECISION_HALF}) {
        Live l(cloth_net(20, 20), precision, TWANG_ARITHMETIC_FAST, TWANG_PIN_PENALTY, {0, 19});
        UpdatedSystem live(l.made);
        for (const std::uint32_t v : {45u, 210u, 333u}) l.hold(v, true);
        l.hold(19, false);
        l.grab(20, 21, 41, 500.0);
        SolveScratch scratch(*l.made);
        live.apply_changes(l.held, l.grabs, scratch, l.jobs);
        const std::vector<std::uint32_t> few = {7, 60, 211};
        PanelPaths paths;
        paths.start(l.made->panels);
        VertexArray<Vec3> all(l.held.size());
        Random random(3);
        for (const std::uint32_t i : few) {
            all[i] = random.vector(1.0);
            paths.add(l.made->panels, i);
        }
        VertexArray<Vec3> some = all;
        solve(live, scratch, l.jobs, all.data());
        solve(live, scratch, l.jobs, some.data(), &paths);
        for (const std::uint32_t i : few) {
            EXPECT_EQ(length(some[i] - all[i]), 0.0);
            EXPECT_GT(length(all[i]), 0.0);
        }
    }
}

// What another has found is taken over bit for bit; without room to solve in, it has to be.
TEST(UpdatedSystem, LearnsFromAnotherOnTheSameFactor) {
    for (const twang_precision precision :
         {TWANG_PRECISION_FLOAT, TWANG_PRECISION_DOUBLE, TWANG_PRECISION_HALF}) {
        Live l(cloth_net(20, 20), precision, TWANG_ARITHMETIC_FAST, TWANG_PIN_PENALTY, {0, 19});
        SolveScratch scratch(*l.made);
        UpdatedSystem found(l.made), taught(l.made), alone(l.made);
        for (const std::uint32_t v : {45u, 210u, 333u, 127u}) l.hold(v, true);
        l.hold(19, false);
        l.grab(20, 21, 41, 500.0);
        found.apply_changes(l.held, l.grabs, scratch, l.jobs);
        l.hold(210, false);
        taught.reuse_columns_of(found);
        SolveScratch no_room;
        taught.apply_changes(l.held, l.grabs, no_room, l.jobs);
        l.hold(77, true), l.hold(140, true); // with others beside them in a solve, and alone
        taught.apply_changes(l.held, l.grabs, scratch, l.jobs);
        alone.apply_changes(l.held, l.grabs, scratch, l.jobs);
        EXPECT_EQ(taught.changes(), 7u);
        VertexArray<Vec3> v(l.held.size()), w(l.held.size());
        Random random(3);
        for (std::size_t i = 0; i < v.size(); ++i) v[i] = w[i] = random.vector(1.0);
        solve(taught, scratch, l.jobs, v.data());
        solve(alone, scratch, l.jobs, w.data());
        double moved = 0.0;
        for (std::size_t i = 0; i < v.size(); ++i) {
            EXPECT_EQ(length(v[i] - w[i]), 0.0);
            moved = std::max(moved, length(v[i]));
        }
        EXPECT_GT(moved, 0.0);
    }
}
