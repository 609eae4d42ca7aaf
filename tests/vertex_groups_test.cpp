// Groups of vertices cover the body and stay small; what a rejection rejects is out of reach.
#include "geometry/vertex_groups.hpp"

#include <limits>
#include <numeric>

#include "contact_scenes.hpp"

namespace twang::test {
namespace {

using core::GroupPoints;
using core::Rejection;
using core::VertexGroups;

std::vector<Vec3> grid(int columns, int rows, double spacing) {
    std::vector<Vec3> positions;
    for (int r = 0; r < rows; ++r)
        for (int c = 0; c < columns; ++c) positions.push_back({c * spacing, r * spacing, 0.0});
    return positions;
}

TEST(VertexGroups, HoldEveryVertexOnce) {
    Random random(1);
    for (const std::size_t n : {1u, 2u, 31u, 32u, 33u, 64u, 65u, 1000u}) {
        std::vector<Vec3> positions;
        for (std::size_t i = 0; i < n; ++i)
            positions.push_back(i % 3 == 0 ? Vec3{} : random.vector(1.0)); // many are the same
        const VertexGroups groups = core::make_vertex_groups(positions);
        EXPECT_EQ(groups.count(), (n + VertexGroups::size - 1) / VertexGroups::size);
        std::vector<std::uint32_t> seen;
        for (std::size_t g = 0; g < groups.count(); ++g) {
            EXPECT_TRUE(g + 1 == groups.count() || groups[g].size() == VertexGroups::size);
            seen.insert(seen.end(), groups[g].begin(), groups[g].end());
        }
        std::sort(seen.begin(), seen.end());
        std::vector<std::uint32_t> all(n);
        std::iota(all.begin(), all.end(), 0u);
        EXPECT_EQ(seen, all);
        EXPECT_EQ(core::make_vertex_groups(positions).vertices, groups.vertices);
    }
}

// Whatever the order of the vertices; a square of 32 reaches 4 spacings from its middle.
TEST(VertexGroups, AreCompact) {
    Random random(2);
    std::vector<Vec3> positions = grid(33, 31, 0.03);
    for (std::size_t i = positions.size(); i > 1; --i)
        std::swap(positions[i - 1], positions[random.below(static_cast<std::uint32_t>(i))]);
    const VertexGroups groups = core::make_vertex_groups(positions);
    double sum = 0.0;
    for (std::size_t g = 0; g < groups.count(); ++g) {
        const core::BoundingSphere bounds = GroupPoints(groups[g], positions.data()).bounds();
        for (const std::uint32_t i : groups[g])
            EXPECT_LE(length(positions[i] - bounds.centre), bounds.radius * (1.0 + 1e-15));
        sum += bounds.radius;
    }
    EXPECT_LT(sum / static_cast<double>(groups.count()), 5.0 * 0.03);
}

std::vector<ColliderDef> shapes() {
    return {
        {.shape = TWANG_SHAPE_SPHERE, .radius = 0.3},
        {.shape = TWANG_SHAPE_CAPSULE, .end = {0.4, 0.7, 0.0}, .radius = 0.2},
        {.shape = TWANG_SHAPE_CAPSULE, .end = {0.4, 0.7, 0.0}, .radius = 0.3, .end_radius = 0.1},
        {.shape = TWANG_SHAPE_CAPSULE, .end = {0.1, 0.0, 0.0}, .radius = 0.1, .end_radius = 0.4},
        {.shape = TWANG_SHAPE_PLANE, .normal = {1.0, 2.0, 3.0}},
        {.shape = TWANG_SHAPE_BOX, .half_extents = {0.2, 0.3, 0.5}}};
}

// Near and far from the origin, with reaches of both signs; most of what is far is rejected.
TEST(Rejection, IsSure) {
    Random random(3);
    const Mesh mesh = box_mesh({0.4, 0.1, 0.2});
    std::vector<ColliderDef> defs = shapes();
    defs.push_back(mesh.def());
    for (const ColliderDef& def : defs) {
        int far = 0, rejected = 0;
        for (int i = 0; i < 400; ++i) {
            const Vec3 place = i % 4 == 0 ? random.vector(1e6) : random.vector(1.0);
            core::Obstacle obstacle = moving(
                def, place, core::unit({random.uniform(-1, 1), random.uniform(-1, 1), 0.5, 1.0}));
            if (def.shape == TWANG_SHAPE_MESH) obstacle.surface = mesh.surface();
            std::vector<Vec3> points;
            const std::size_t count = 1 + random.below(VertexGroups::size);
            for (std::size_t k = 0; k < count; ++k) points.push_back(place + random.vector(1.5));
            const VertexGroups groups = core::make_vertex_groups(points);
            const GroupPoints group(groups[0], points.data());
            Rejection rejection;
            for (std::size_t k = 0; k < group.count; ++k) {
                const Vec3 p = points[groups[0][std::min(k, count - 1)]];
                // A third of them exactly as far as the point is.
                rejection.reach[k] = i % 3 == 0 ? core::distance_to(obstacle, p).distance
                                                : random.uniform(-0.3, 0.5);
            }
            core::reject(group, obstacle, rejection);
            for (std::size_t k = 0; k < count; ++k) {
                const double distance = core::distance_to(obstacle, points[groups[0][k]]).distance;
                EXPECT_TRUE(!rejection.rejects(k) || distance > rejection.reach[k])
                    << def.shape << " " << distance << " " << rejection.reach[k];
                if (distance <= std::max(rejection.reach[k], 0.0) + 0.01) continue;
                ++far;
                rejected += rejection.rejects(k);
            }
        }
        EXPECT_GT(far, 500);
        // Tapered ones by the capsule around them, which is twice as wide.
        EXPECT_GT(rejected, (def.end_radius == TWANG_SAME ? 0.95 : 0.7) * far) << def.shape;
    }
}

TEST(Rejection, KeepsWhatIsNotANumber) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (const ColliderDef& def : shapes()) {
        const core::Obstacle obstacle = resting(def);
        const std::vector<Vec3> points{{nan, 9.0, 0.0}, {9.0, 9.0, 9.0}, {9.0, 9.0, 9.0}};
        const std::uint32_t vertices[] = {0, 1, 2};
        const GroupPoints group(vertices, points.data());
        Rejection rejection;
        std::fill_n(rejection.reach, group.count, 0.1);
        rejection.reach[1] = nan;
        core::reject(group, obstacle, rejection);
        EXPECT_FALSE(rejection.rejects(0));
        EXPECT_FALSE(rejection.rejects(1));
        EXPECT_TRUE(rejection.rejects(2));
        EXPECT_TRUE(core::may_reach(group.bounds(), obstacle, 0.1));
    }
}

} // namespace
} // namespace twang::test
