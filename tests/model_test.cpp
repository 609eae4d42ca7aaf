// The model: renumbered once, and consistent in all the ways it stores the network.
#include "model/model.hpp"

#include <set>

#include "scenes.hpp"

namespace twang::test {
namespace {

// Each with its definition; nested dissection orders the last.
std::vector<std::shared_ptr<const core::Model>> models() {
    const Lattice lattice(10, 10, 9, 0.1);
    return {inner_model(chain_net(1, 0.1, 1.0, 1.0).def()), inner_model(random_net(1, 40).def()),
            inner_model(cloth_net(9, 7).def()), inner_model(lattice.def())};
}

TEST(Model, NumberingsAreInverse) {
    for (const auto& model : models()) {
        const std::size_t n = model->vertex_count();
        ASSERT_EQ(model->to_user.size(), n);
        ASSERT_EQ(model->to_inner.size(), n);
        for (std::uint32_t i = 0; i < n; ++i) {
            ASSERT_LT(model->to_user[i], n);
            EXPECT_EQ(model->to_inner[model->to_user[i]], i);
        }
    }
}

TEST(Model, CarriesTheNetworkAcross) {
    const Net net = random_net(2, 50);
    core::Network network;
    ASSERT_EQ(core::build_mesh(net.def(), network), TWANG_OK);
    const std::vector<core::Spring> springs = network.springs;
    std::shared_ptr<const core::Model> model;
    ASSERT_EQ(core::make_model(std::move(network), model), TWANG_OK);
    double mass = 0.0;
    for (std::uint32_t user = 0; user < net.size(); ++user) {
        const std::uint32_t inner = model->to_inner[user];
        EXPECT_EQ(length(model->rest_positions[inner] - net.positions[user]), 0.0);
        EXPECT_EQ(model->masses[inner], net.masses[user]);
        mass += net.masses[user];
    }
    EXPECT_DOUBLE_EQ(model->total_mass, mass);
    EXPECT_DOUBLE_EQ(model->size, size_of(net.positions));
    ASSERT_EQ(model->springs.size(), springs.size());
    for (std::size_t s = 0; s < springs.size(); ++s) { // in the order they were given
        EXPECT_EQ(model->to_user[model->springs[s].a], springs[s].a);
        EXPECT_EQ(model->to_user[model->springs[s].b], springs[s].b);
        EXPECT_EQ(model->springs[s].stiffness, springs[s].stiffness);
        EXPECT_EQ(model->springs[s].rest_length, springs[s].rest_length);
    }
}

TEST(Model, LinksAreTheSpringsFromBothEnds) {
    for (const auto& model : models()) {
        ASSERT_EQ(model->links.items.size(), 2 * model->springs.size());
        for (std::uint32_t i = 0; i < model->vertex_count(); ++i)
            for (const core::Link* link = model->links.begin(i); link != model->links.end(i);
                 ++link) {
                const core::Spring& spring = model->springs[link->spring];
                EXPECT_EQ(std::minmax(spring.a, spring.b), std::minmax(i, link->other));
                EXPECT_EQ(link->stiffness, spring.stiffness);
                EXPECT_EQ(link->rest_length, spring.rest_length);
                if (link == model->links.begin(i)) continue;
                EXPECT_LT(link[-1].other, link->other);
            }
    }
}

TEST(Model, PatternIsTheLowerTriangleOfQ) {
    for (const auto& model : models()) {
        const core::Pattern& p = model->pattern;
        ASSERT_EQ(p.n, static_cast<int>(model->vertex_count()));
        ASSERT_EQ(p.rows.size(), model->vertex_count() + model->springs.size());
        std::set<std::pair<int, int>> expected, found;
        for (const core::Spring& s : model->springs)
            expected.insert(std::minmax<int>(static_cast<int>(s.a), static_cast<int>(s.b)));
        for (int c = 0; c < p.n; ++c) {
            EXPECT_EQ(p.rows[p.column_start[c]], c);
            for (int k = p.column_start[c] + 1; k < p.column_start[c + 1]; ++k) {
                EXPECT_LT(p.rows[k - 1], p.rows[k]);
                found.insert({c, p.rows[k]});
            }
        }
        EXPECT_EQ(found, expected);
    }
}

TEST(Model, CornersNameTheTrianglesOfAVertex) {
    ClothDef def;
    def.columns = 5;
    def.rows = 4;
    core::Network network;
    ASSERT_EQ(core::build_cloth(def, network), TWANG_OK);
    const std::vector<std::uint32_t> given = network.triangles;
    std::shared_ptr<const core::Model> model;
    ASSERT_EQ(core::make_model(std::move(network), model), TWANG_OK);
    ASSERT_EQ(given.size(), 3u * 2 * 4 * 3);
    std::size_t visited = 0;
    for (std::uint32_t i = 0; i < model->vertex_count(); ++i)
        for (const auto* c = model->corners.begin(i); c != model->corners.end(i); ++c, ++visited)
            EXPECT_EQ(model->triangles[*c], i);
    EXPECT_EQ(visited, given.size());
    for (std::size_t c = 0; c < given.size(); ++c)
        EXPECT_EQ(model->to_user[model->triangles[c]], given[c]);
}

TEST(Model, IdentityTellsModelsApart) {
    const Net net = random_net(3, 20);
    const auto identity = [](const Net& n) { return inner_model(n.def())->identity; };
    EXPECT_EQ(identity(net), identity(net));
    std::set<std::uint64_t> seen{identity(net)};
    Net other = net;
    other.masses[7] *= 1.0 + 1e-15;
    seen.insert(identity(other));
    other = net;
    other.positions[3].z += 1e-12;
    seen.insert(identity(other));
    other = net;
    other.springs[5].stiffness += 1.0;
    seen.insert(identity(other));
    other = net;
    other.springs[5].rest_length += 1e-9;
    seen.insert(identity(other));
    other = net;
    other.springs.pop_back();
    seen.insert(identity(other));
    EXPECT_EQ(seen.size(), 6u);
}

TEST(Hash, SeesEveryBitAndTheOrder) {
    const double values[2] = {1.0, 2.0}, swapped[2] = {2.0, 1.0}, minus[1] = {-0.0},
                 plus[1] = {0.0};
    EXPECT_NE(core::hash_doubles(0, values, 2), core::hash_doubles(0, swapped, 2));
    EXPECT_NE(core::hash_doubles(0, minus, 1), core::hash_doubles(0, plus, 1));
    EXPECT_NE(core::hash_doubles(0, plus, 1), core::hash_doubles(0, plus, 0));
}

} // namespace
} // namespace twang::test
