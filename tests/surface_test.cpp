// Closed surfaces and what they enclose.
#include "geometry/surface.hpp"

#include "scenes.hpp"

namespace twang::test {
namespace {

const std::vector<Vec3> corners{{0, 0, 0}, {1, 0, 0}, {0, 2, 0}, {0, 0, 3}};
const std::vector<std::uint32_t> tetrahedron{0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3}; // outward

TEST(Surface, ATetrahedronIsClosedAndHasItsVolume) {
    EXPECT_TRUE(core::is_closed(tetrahedron));
    EXPECT_NEAR(core::enclosed_volume(tetrahedron, corners.data()), 1.0, 1e-15);
}

TEST(Surface, InsideOutTheVolumeIsNegative) {
    std::vector<std::uint32_t> turned = tetrahedron;
    for (std::size_t t = 0; t < turned.size(); t += 3) std::swap(turned[t], turned[t + 1]);
    EXPECT_TRUE(core::is_closed(turned));
    EXPECT_NEAR(core::enclosed_volume(turned, corners.data()), -1.0, 1e-15);
}

TEST(Surface, FarFromTheOriginTheVolumeKeepsItsDigits) {
    std::vector<Vec3> far = corners;
    for (Vec3& p : far) p += Vec3{1e6, -1e6, 1e6};
    EXPECT_NEAR(core::enclosed_volume(tetrahedron, far.data()), 1.0, 1e-9);
}

TEST(Surface, HolesFlippedAndDoubledTrianglesAreNotClosed) {
    EXPECT_FALSE(core::is_closed({}));
    for (std::size_t t = 0; t < tetrahedron.size(); t += 3) {
        std::vector<std::uint32_t> hole = tetrahedron, flipped = tetrahedron, twice = tetrahedron;
        hole.erase(hole.begin() + t, hole.begin() + t + 3);
        EXPECT_FALSE(core::is_closed(hole)) << t;
        std::swap(flipped[t], flipped[t + 1]);
        EXPECT_FALSE(core::is_closed(flipped)) << t;
        twice.insert(twice.end(), tetrahedron.begin() + t, tetrahedron.begin() + t + 3);
        EXPECT_FALSE(core::is_closed(twice)) << t;
    }
}

TEST(Surface, TwoBodiesInOneModelAddUp) {
    std::vector<std::uint32_t> both = tetrahedron;
    for (const std::uint32_t v : tetrahedron) both.push_back(v + 4);
    std::vector<Vec3> points = corners;
    for (const Vec3& p : corners) points.push_back(2.0 * p + Vec3{9.0, 0.0, 0.0});
    EXPECT_TRUE(core::is_closed(both));
    EXPECT_NEAR(core::enclosed_volume(both, points.data()), 1.0 + 8.0, 1e-12);
}

TEST(Surface, TheSkinOfABlockEnclosesIt) {
    Lattice lattice(4, 3, 2, 0.5);
    for (std::size_t t = 0; t < lattice.tetrahedra.size(); t += 8) // some turned inside out
        std::swap(lattice.tetrahedra[t], lattice.tetrahedra[t + 1]);
    const auto skin = core::skin_of(lattice.tetrahedra, lattice.positions.data());
    EXPECT_EQ(skin.size(), 3u * 2 * 2 * (4 * 3 + 3 * 2 + 4 * 2));
    EXPECT_TRUE(core::is_closed(skin));
    EXPECT_NEAR(core::enclosed_volume(skin, lattice.positions.data()), 2.0 * 1.5 * 1.0, 1e-12);
    EXPECT_TRUE(core::skin_of({}, nullptr).empty());
}

} // namespace
} // namespace twang::test
