// holding: corrections that barred vertices have to keep to, against dense algebra; also on a
// factor that does not know of a pin, and with any number of workers.
#include "holding.hpp"

#include <Eigen/Dense>

#include "scenes.hpp"

using namespace twang::test;
using namespace twang::core;

namespace {

constexpr double h = 1.0 / 60.0;

struct Cloth {
    std::shared_ptr<const Model> model;
    std::shared_ptr<const System> made;
    LiveSystem live;
    std::vector<double> weights;
    SolveScratch scratch;
    Jobs jobs;
    std::vector<Barred> barred;
    std::vector<Vec3> q;

    // A patch of it is barred, sticking or sliding over something round.
    Cloth(twang_precision precision, twang_arithmetic arithmetic, bool pinned, int workers)
        : jobs(workers) {
        twang::ClothDef def;
        def.columns = def.rows = 13;
        model = inner_model(cloth_net(def).def());
        const std::size_t n = model->vertex_count();
        EXPECT_EQ(make_system({model, TWANG_HOOKE, TWANG_PIN_ELIMINATION, precision, arithmetic, h,
                               std::vector<char>(n)},
                              made),
                  TWANG_OK);
        live.rebase(made);
        scratch = SolveScratch(*made);
        std::vector<char> held(n);
        held[model->to_inner[0]] = pinned;
        live.admit(held, {}, scratch, jobs);
        for (const double mass : model->masses) weights.push_back(mass / (h * h));
        Random random(3);
        for (std::uint32_t i = 0; i < n; ++i) {
            q.push_back(held[i] ? Vec3{} : random.vector(0.01));
            const std::uint32_t row = model->to_user[i] / 13, column = model->to_user[i] % 13;
            if (row < 3 || row > 9 || column < 2 || column > 7) continue;
            const Vec3 normal = direction({0.1 * (row - 6.0), 1.0, 0.1 * (column - 5.0)});
            barred.push_back({i, column < 4, normal, random.vector(0.01)});
        }
    }

    // Holds q, of either kind; returns it.
    std::vector<Vec3> held() {
        Holding holding;
        holding.fit(q.size(), model->links.items.size(), made->is_float());
        holding.start();
        const Elastic body{*model, live, weights.data(), scratch, jobs};
        return made->is_float() ? run<Float4>(holding, body) : run<Vec3>(holding, body);
    }

    // q + Q^-1 E r with E^T q = w, and r.
    Eigen::VectorXd expected(Eigen::VectorXd& r) const {
        const std::size_t n = q.size();
        Eigen::MatrixXd inverse = Eigen::MatrixXd::Zero(3 * n, 3 * n);
        for (std::size_t i = 0; i < n; ++i) {
            VertexArray<Vec3> column(n);
            column[i] = {1.0, 0.0, 0.0};
            SolveScratch room(*made);
            Jobs one(1);
            solve(live, room, one, column.data());
            for (std::size_t j = 0; j < n; ++j)
                for (int axis = 0; axis < 3; ++axis)
                    inverse(3 * j + axis, 3 * i + axis) = column[j].x;
        }
        std::vector<Eigen::VectorXd> columns;
        std::vector<double> ways;
        for (const Barred& b : barred)
            for (int axis = 0; axis < (b.fully ? 3 : 1); ++axis) {
                Eigen::VectorXd e = Eigen::VectorXd::Zero(3 * n);
                const Vec3 along = b.fully ? Vec3{axis == 0 ? 1.0 : 0.0, axis == 1 ? 1.0 : 0.0,
                                                  axis == 2 ? 1.0 : 0.0}
                                           : b.normal;
                e.segment<3>(3 * b.vertex) << along.x, along.y, along.z;
                columns.push_back(e);
                ways.push_back(dot(b.way, along));
            }
        Eigen::MatrixXd e(3 * n, columns.size());
        Eigen::VectorXd w(ways.size());
        for (std::size_t k = 0; k < columns.size(); ++k) e.col(k) = columns[k], w(k) = ways[k];
        const Eigen::MatrixXd small = e.transpose() * inverse * e;
        r = e * small.ldlt().solve(w - e.transpose() * flat(q));
        return flat(q) + inverse * r;
    }

private:
    template <class V>
    std::vector<Vec3> run(Holding& holding, const Elastic& body) {
        VertexArray<V> v(q.size());
        for (std::size_t i = 0; i < q.size(); ++i) put(v[i], q[i]);
        holding.hold(body, barred, v);
        std::vector<Vec3> result;
        for (std::size_t i = 0; i < q.size(); ++i) result.push_back(widen(v[i]));
        return result;
    }
};

TEST(Holding, IsTheLeastChangeThatKeepsToWhatIsBarred) {
    for (const auto& [precision, arithmetic] : {std::pair{TWANG_FLOAT, TWANG_FAST},
                                                {TWANG_DOUBLE, TWANG_FAST},
                                                {TWANG_DOUBLE, TWANG_PORTABLE}})
        for (const bool pinned : {false, true}) {
            Cloth cloth(precision, arithmetic, pinned, 1);
            Eigen::VectorXd r;
            const Eigen::VectorXd expected = cloth.expected(r);
            const std::vector<Vec3> q = cloth.held();
            for (const Barred& b : cloth.barred)
                EXPECT_LT(length(b.part(q[b.vertex] - b.way)), 1e-8); // to the last digit
            const Eigen::VectorXd change = expected - flat(cloth.q);
            EXPECT_LT((flat(q) - expected).norm(), 0.01 * change.norm()) << precision << pinned;
            Eigen::VectorXd force = Eigen::VectorXd::Zero(r.size());
            for (const Barred& b : cloth.barred)
                force.segment<3>(3 * b.vertex) << b.force.x, b.force.y, b.force.z;
            EXPECT_LT((force - r).norm(), 0.02 * r.norm()) << precision << pinned;
        }
}

TEST(Holding, TheSameBitsForAnyNumberOfWorkers) {
    const std::vector<Vec3> alone = Cloth(TWANG_FLOAT, TWANG_FAST, false, 1).held();
    const std::vector<Vec3> three = Cloth(TWANG_FLOAT, TWANG_FAST, false, 3).held();
    for (std::size_t i = 0; i < alone.size(); ++i) EXPECT_EQ(length(alone[i] - three[i]), 0.0);
}

// Barred by what they do anyway, they feel no force, and nothing changes.
TEST(Holding, LeavesAloneWhatKeepsToItAlready) {
    Cloth cloth(TWANG_DOUBLE, TWANG_FAST, false, 1);
    for (Barred& b : cloth.barred) b.way = cloth.q[b.vertex];
    const std::vector<Vec3> q = cloth.held();
    for (std::size_t i = 0; i < q.size(); ++i) EXPECT_LT(length(q[i] - cloth.q[i]), 1e-17);
    for (const Barred& b : cloth.barred) EXPECT_EQ(length(b.force), 0.0);
}

} // namespace
