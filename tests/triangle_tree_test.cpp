// The nearest element against a search through all of them, and distances by hand.
#include "geometry/triangle_tree.hpp"

#include "scenes.hpp"

namespace twang::test {
namespace {

TEST(Nearest, DistancesToATriangle) {
    const Vec3 a{0, 0, 0}, b{4, 0, 0}, c{0, 4, 0};
    EXPECT_NEAR(core::distance_to_triangle({1, 1, 3}, a, b, c), 3.0, 1e-15);  // above its inside
    EXPECT_NEAR(core::distance_to_triangle({2, -3, 4}, a, b, c), 5.0, 1e-15); // beside a side
    EXPECT_NEAR(core::distance_to_triangle({-3, 0, 4}, a, b, c), 5.0, 1e-15); // beyond a corner
    EXPECT_NEAR(core::distance_to_triangle({4, 4, 0}, a, b, c), std::sqrt(8.0), 1e-14);
}

TEST(Nearest, DistancesToATetrahedron) {
    const Vec3 a{0, 0, 0}, b{4, 0, 0}, c{0, 4, 0}, d{0, 0, 4};
    EXPECT_EQ(core::distance_to_tetrahedron({1, 1, 1}, a, b, c, d), 0.0);
    EXPECT_EQ(core::distance_to_tetrahedron({1, 1, 1}, a, c, b, d), 0.0); // either way round
    EXPECT_NEAR(core::distance_to_tetrahedron({1, 1, -2}, a, b, c, d), 2.0, 1e-15);
    EXPECT_NEAR(core::distance_to_tetrahedron({4, 4, 4}, a, b, c, d), 8.0 / std::sqrt(3.0), 1e-14);
}

TEST(Nearest, WeightsGiveThePointBack) {
    Random random(1);
    for (int i = 0; i < 1000; ++i) {
        const Vec3 a = random.vector(1.0), b = random.vector(1.0), c = random.vector(1.0),
                   d = random.vector(1.0), p = random.vector(2.0);
        const auto w = core::weights_in_tetrahedron(p, a, b, c, d);
        const double volume = std::abs(dot(core::cross(b - a, c - a), d - a));
        EXPECT_LT(length(w.a * a + w.b * b + w.c * c + w.d * d - p), 1e-14 / volume);
        const auto t = core::weights_in_triangle(p, a, b, c);
        const Vec3 off = p - (t.a * a + t.b * b + t.c * c); // across the triangle
        EXPECT_LT(std::abs(dot(off, b - a)) + std::abs(dot(off, c - a)),
                  1e-13 / length(core::cross(b - a, c - a)));
    }
}

TEST(Nearest, TheTreeFindsWhatASearchFinds) {
    Random random(2);
    for (const int corners : {3, 4}) {
        std::vector<Vec3> x;
        std::vector<std::uint32_t> elements;
        for (int e = 0; e < 500; ++e) {
            const Vec3 centre = random.vector(1.0);
            for (int i = 0; i < corners; ++i) {
                elements.push_back(static_cast<std::uint32_t>(x.size()));
                x.push_back(e % 50 == 0 ? centre : centre + random.vector(0.1)); // some flat ones
            }
        }
        const core::NearestElement nearest(elements, corners, x.data());
        for (int i = 0; i < 500; ++i) {
            const Vec3 p = random.vector(1.5);
            double least = 1e9;
            for (std::size_t e = 0; e < elements.size(); e += corners) {
                if (e / corners % 50 == 0) continue;
                const Vec3* v = &x[e];
                least = std::min(
                    least, corners == 3 ? core::distance_to_triangle(p, v[0], v[1], v[2])
                                        : core::distance_to_tetrahedron(p, v[0], v[1], v[2], v[3]));
            }
            EXPECT_EQ(nearest.find(p).distance, least);
        }
    }
    const std::vector<Vec3> point(3);
    EXPECT_TRUE(
        core::NearestElement(std::vector<std::uint32_t>{0, 1, 2}, 3, point.data()).is_empty());
}

} // namespace
} // namespace twang::test
