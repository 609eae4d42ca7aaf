// Fine meshes riding on coarse bodies, and smooth normals, through the API.
#include "model/embedding.hpp"

#include <cstring>

#include <twang/io.hpp>

#include "scenes.hpp"

namespace twang::test {
namespace {

struct Fine {
    std::vector<Vec3> points;
    std::vector<std::uint32_t> triangles;
    FineMeshDef def() const {
        FineMeshDef def;
        def.positions = &points.data()->x;
        def.vertex_count = static_cast<std::uint32_t>(points.size());
        def.triangles = triangles.data();
        def.triangle_count = static_cast<std::uint32_t>(triangles.size() / 3);
        return def;
    }
};

// A height field over the square from `low` to `low + side`.
Fine sheet(int n, Vec3 low, double side, double amplitude) {
    Fine fine;
    for (int r = 0; r <= n; ++r)
        for (int c = 0; c <= n; ++c) {
            const double u = static_cast<double>(c) / n, v = static_cast<double>(r) / n;
            fine.points.push_back(
                low + Vec3{side * u, side * v, amplitude * std::sin(9.0 * u) * std::cos(7.0 * v)});
        }
    for (int r = 0; r < n; ++r)
        for (int c = 0; c < n; ++c) {
            const std::uint32_t i = r * (n + 1) + c, up = i + n + 1;
            fine.triangles.insert(fine.triangles.end(), {i, i + 1, up, i + 1, up + 1, up});
        }
    return fine;
}

struct Drawn {
    std::vector<Vec3> points, normals;
};
Drawn draw(const Embedding& embedding, World& world, Body body, bool interpolated = false) {
    const std::size_t n = embedding.info().vertices;
    std::vector<float> both(6 * n);
    EXPECT_EQ(embedding.write(world, body, {both.data(), 24}, {both.data() + 3, 24}, interpolated),
              TWANG_OK)
        << last_error();
    Drawn drawn;
    for (std::size_t i = 0; i < n; ++i) {
        const float* v = &both[6 * i];
        drawn.points.push_back({v[0], v[1], v[2]});
        drawn.normals.push_back({v[3], v[4], v[5]});
    }
    return drawn;
}

struct Carrier {
    Model model;
    World world;
    Body body;
    explicit Carrier(Model made, int workers = 1)
        : model(std::move(made)), world(def(workers)), body(world.add(model)) {}
    static WorldDef def(int workers) {
        WorldDef def;
        def.workers = workers;
        return def;
    }
    template <class Map>
    void deform(Map&& map) {
        std::vector<double> x(3 * body.vertex_count());
        ASSERT_EQ(body.copy_positions(x), TWANG_OK);
        for (std::size_t i = 0; i < x.size(); i += 3) {
            const Vec3 p = map(Vec3{x[i], x[i + 1], x[i + 2]});
            x[i] = p.x, x[i + 1] = p.y, x[i + 2] = p.z;
        }
        ASSERT_EQ(body.set_positions(x), TWANG_OK);
    }
};

Model coarse_cloth() {
    return Model::cloth({.columns = 9, .rows = 9, .spacing = 0.125, .down = {0.0, 1.0, 0.0}});
}
Model coarse_block() { return Model::mesh(Lattice(3, 3, 3, 0.5).def()); }

Vec3 turn(Vec3 p) { // a rotation about an oblique axis, and a move
    const core::Rotation about = core::rotation_by({0.3, -0.5, 0.2, 0.8});
    return about(p) + Vec3{1.0, 2.0, -3.0};
}

TEST(Embedding, AtRestTheFineMeshIsItself) {
    const Fine fine = sheet(40, {-0.1, -0.1, 0.02}, 1.2, 0.03); // reaches beyond the cloth
    Carrier cloth(coarse_cloth());
    const Embedding on_cloth(cloth.model, fine.def());
    ASSERT_TRUE(on_cloth) << last_error();
    EXPECT_EQ(on_cloth.info().vertices, 41u * 41);
    EXPECT_EQ(on_cloth.info().in_tetrahedra, 0);
    EXPECT_LT(on_cloth.info().rest_error, 1e-15);
    EXPECT_NEAR(on_cloth.info().farthest, std::hypot(0.1, 0.1), 0.05);
    EXPECT_LT(distance(draw(on_cloth, cloth.world, cloth.body).points, fine.points), 1e-7);

    const Fine inner = sheet(40, {-0.05, -0.05, 0.7}, 1.6, 0.5);
    Carrier block(coarse_block());
    const Embedding in_block(block.model, inner.def());
    ASSERT_TRUE(in_block) << last_error();
    EXPECT_EQ(in_block.info().in_tetrahedra, 1);
    EXPECT_LT(in_block.info().rest_error, 1e-14);
    EXPECT_LT(distance(draw(in_block, block.world, block.body).points, inner.points), 2e-7);
}

TEST(Embedding, RidesAlongWithRigidMotions) {
    const Fine fine = sheet(30, {-0.1, -0.1, 0.02}, 1.2, 0.03);
    std::vector<Vec3> expected;
    for (const Vec3& p : fine.points) expected.push_back(turn(p));
    Carrier cloth(coarse_cloth()), block(coarse_block());
    for (Carrier* carrier : {&cloth, &block}) {
        const Embedding embedding(carrier->model, fine.def());
        carrier->deform(turn);
        EXPECT_LT(distance(draw(embedding, carrier->world, carrier->body).points, expected), 1e-6);
    }
}

TEST(Embedding, FollowsAnyAffineMapInTetrahedra) {
    const auto map = [](Vec3 p) {
        return Vec3{1.2 * p.x + 0.3 * p.y, 0.8 * p.y - 0.2 * p.z, p.z + 0.5 * p.x};
    };
    const Fine fine = sheet(30, {0.1, 0.1, 0.7}, 1.3, 0.4);
    std::vector<Vec3> expected;
    for (const Vec3& p : fine.points) expected.push_back(map(p));
    Carrier block(coarse_block());
    const Embedding embedding(block.model, fine.def());
    block.deform(map);
    EXPECT_LT(distance(draw(embedding, block.world, block.body).points, expected), 1e-6);
}

// On a cloth rolled up to a cylinder, a layer above it is a wider cylinder.
TEST(Embedding, ALayerKeepsItsDistanceFromABentCloth) {
    const double radius = 0.5, above = 0.05;
    const Fine fine = sheet(60, {0.1, 0.1, above}, 0.8, 0.0);
    Carrier cloth(
        Model::cloth({.columns = 41, .rows = 41, .spacing = 0.025, .down = {0.0, 1.0, 0.0}}));
    const Embedding embedding(cloth.model, fine.def());
    cloth.deform([&](Vec3 p) {
        const double angle = p.x / radius;
        return Vec3{radius * std::sin(angle), p.y, radius * std::cos(angle)};
    });
    const Drawn drawn = draw(embedding, cloth.world, cloth.body);
    for (std::size_t i = 0; i < drawn.points.size(); ++i) {
        const Vec3 p = drawn.points[i];
        EXPECT_NEAR(std::hypot(p.x, p.z), radius + above, 3e-4);
        const Vec3 n = drawn.normals[i], out = (1.0 / std::hypot(p.x, p.z)) * Vec3{p.x, 0, p.z};
        EXPECT_NEAR(length(n), 1.0, 1e-6);
        EXPECT_GT(dot(n, out), 0.998); // one-sided at the rim
    }
}

TEST(Embedding, SameBitsForAnyNumberOfWorkersAndFollowsTheSimulation) {
    const Fine fine = sheet(60, {0.0, 0.0, 0.02}, 1.0, 0.02);
    std::vector<Drawn> all;
    for (const int workers : {1, 3}) {
        Carrier cloth(coarse_cloth(), workers);
        const Embedding embedding(cloth.model, fine.def());
        ASSERT_EQ(cloth.body.pin(0), TWANG_OK);
        for (int i = 0; i < 30; ++i) ASSERT_EQ(cloth.world.step(), TWANG_OK);
        all.push_back(draw(embedding, cloth.world, cloth.body));
        EXPECT_GT(distance(all.back().points, fine.points), 0.1);
        const Drawn between = draw(embedding, cloth.world, cloth.body, true);
        EXPECT_GT(distance(between.points, all.back().points),
                  1e-4); // nothing left over: a step ago
    }
    EXPECT_EQ(distance(all[0].points, all[1].points), 0.0);
    EXPECT_EQ(distance(all[0].normals, all[1].normals), 0.0);
}

TEST(Embedding, WritesOnlyWhatIsAskedFor) {
    const Fine fine = sheet(2, {0.0, 0.0, 0.0}, 1.0, 0.0);
    Carrier cloth(coarse_cloth());
    const Embedding embedding(cloth.model, fine.def());
    std::vector<unsigned char> buffer(9 * 17, 0xCD);
    ASSERT_EQ(
        embedding.write(cloth.world, cloth.body, {}, {reinterpret_cast<float*>(buffer.data()), 17}),
        TWANG_OK);
    for (int i = 0; i < 9; ++i) {
        float normal[3];
        std::memcpy(normal, &buffer[17 * i], 12);
        EXPECT_EQ(normal[2], 1.0f);
        for (int k = 12; k < 17; ++k) EXPECT_EQ(buffer[17 * i + k], 0xCD);
    }
}

TEST(Embedding, BadInputIsRefused) {
    const Fine good = sheet(2, {0.0, 0.0, 0.0}, 1.0, 0.0);
    const Model model = coarse_cloth();
    const auto refused = [&](const FineMeshDef& def, Status answer, const char* words,
                             const Model& on) {
        const Embedding embedding(on, def);
        EXPECT_FALSE(embedding);
        EXPECT_EQ(embedding.status(), answer) << words;
        EXPECT_NE(std::string(last_error()).find(words), std::string::npos) << last_error();
    };
    FineMeshDef none = good.def(), empty = good.def(), no_triangles = good.def();
    none.positions = nullptr;
    empty.vertex_count = 0;
    no_triangles.triangles = nullptr;
    Fine far = good, infinite = good;
    far.triangles[4] = 9;
    infinite.points[5].y = std::numeric_limits<double>::infinity();
    refused(none, TWANG_INVALID_ARGUMENT, "positions", model);
    refused(empty, TWANG_OUT_OF_RANGE, "vertex", model);
    refused(no_triangles, TWANG_INVALID_ARGUMENT, "triangles", model);
    refused(far.def(), TWANG_INDEX_OUT_OF_RANGE, "triangle 1 names vertex 9", model);
    refused(infinite.def(), TWANG_NOT_FINITE, "vertex 5", model);
    refused(good.def(), TWANG_UNSUPPORTED, "ride on", chain_net(4, 0.1, 1.0, 10.0).model());
    refused(good.def(), TWANG_INVALID_ARGUMENT, "model", Model());

    Carrier other(coarse_cloth());
    const Embedding embedding(model, good.def());
    float room[27];
    EXPECT_EQ(embedding.write(other.world, other.body, {room, 12}), TWANG_MESH_MISMATCH);
    const Embedding own(other.model, good.def());
    EXPECT_EQ(own.write(other.world, other.body, {room, 11}), TWANG_OUT_OF_RANGE);
    EXPECT_EQ(Embedding().write(other.world, other.body, {room, 12}), TWANG_INVALID_ARGUMENT);
    EXPECT_EQ(Embedding().info().vertices, 0u);
}

TEST(Normals, OfABalloonPointOutward) {
    const auto scene = io::read_scene(TWANG_ASSETS_DIR "/scenes/balloon.json");
    ASSERT_TRUE(scene);
    auto stage = io::instantiate(*scene);
    ASSERT_TRUE(stage);
    const std::size_t n = stage->body.vertex_count();
    std::vector<float> normals(5 * n, 7.0f);
    ASSERT_EQ(stage->body.copy_normals(normals, 5), TWANG_OK);
    const auto x = stage->body.positions();
    const Vec3 centre{0.0, 0.9 * 1.027, 0.0};
    for (std::size_t i = 0; i < n; ++i) {
        const Vec3 normal{normals[5 * i], normals[5 * i + 1], normals[5 * i + 2]};
        const Vec3 out = Vec3{x[3 * i], x[3 * i + 1], x[3 * i + 2]} - centre;
        if (i < 642)
            EXPECT_NEAR(dot(normal, out) / length(out), 1.0, 1e-3);
        else
            EXPECT_EQ(length(normal), 0.0); // the string
        EXPECT_EQ(normals[5 * i + 3], 7.0f);
    }
    EXPECT_EQ(stage->body.copy_normals(std::span(normals).first(3 * n - 1)),
              TWANG_INVALID_ARGUMENT);
    EXPECT_EQ(twang_body_copy_normals(stage->world.get(), stage->body.id(), nullptr, 12),
              TWANG_INVALID_ARGUMENT);
    EXPECT_EQ(twang_body_copy_normals(stage->world.get(), stage->body.id(), normals.data(), 8),
              TWANG_OUT_OF_RANGE);
}

} // namespace
} // namespace twang::test
