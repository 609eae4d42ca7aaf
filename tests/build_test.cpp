// From definitions to springs and masses: counts against closed formulas, masses against areas,
// volumes and lengths, and what is not used as it stands against its note.
#include "model/build.hpp"

#include <limits>

#include "scenes.hpp"

namespace twang::test {
namespace {

core::Network built(const MeshDef& def) {
    core::Network network;
    EXPECT_EQ(core::build_mesh(def, network), TWANG_OK) << core::last_error();
    return network;
}
core::Network built(const ClothDef& def) {
    core::Network network;
    EXPECT_EQ(core::build_cloth(def, network), TWANG_OK) << core::last_error();
    return network;
}

int count(const core::Network& network, twang_spring_kind kind) {
    return static_cast<int>(std::count_if(network.springs.begin(), network.springs.end(),
                                          [&](const core::Spring& s) { return s.kind == kind; }));
}
double total(const core::Network& network) {
    return std::accumulate(network.masses.begin(), network.masses.end(), 0.0);
}
const core::Spring* between(const core::Network& network, std::uint32_t a, std::uint32_t b) {
    for (const core::Spring& s : network.springs)
        if (std::minmax(s.a, s.b) == std::minmax(a, b)) return &s;
    return nullptr;
}

// Points and lists of indices, and the definition over them.
struct Mesh {
    std::vector<Vec3> points;
    std::vector<std::uint32_t> triangles{}, quads{}, polygons{}, tetrahedra{}, polylines{};
    std::vector<SpringDef> springs{};
    std::vector<double> masses{};

    MeshDef def() const {
        const auto number = [](const auto& list, std::size_t each) {
            return static_cast<std::uint32_t>(list.size() / each);
        };
        MeshDef def;
        def.positions = &points.data()->x;
        def.vertex_count = number(points, 1);
        def.triangles = triangles.data();
        def.triangle_count = number(triangles, 3);
        def.quads = quads.data();
        def.quad_count = number(quads, 4);
        def.polygons = polygons.data();
        def.polygon_index_count = number(polygons, 1);
        def.tetrahedra = tetrahedra.data();
        def.tetrahedron_count = number(tetrahedra, 4);
        def.polylines = polylines.data();
        def.polyline_index_count = number(polylines, 1);
        def.springs = springs.data();
        def.spring_count = number(springs, 1);
        def.masses = masses.empty() ? nullptr : masses.data();
        return def;
    }
};
// Six corners of two unit squares side by side: 3 4 5 above 0 1 2.
const std::vector<Vec3> two_squares{{0, 0, 0}, {1, 0, 0}, {2, 0, 0},
                                    {0, 1, 0}, {1, 1, 0}, {2, 1, 0}};

// ---- Springs ---------------------------------------------------------------------------------

TEST(BuildCloth, CountsFollowTheFormulas) {
    for (const int c : {2, 3, 5, 12})
        for (const int r : {2, 3, 7}) {
            ClothDef def;
            def.columns = static_cast<std::uint32_t>(c);
            def.rows = static_cast<std::uint32_t>(r);
            const core::Network cloth = built(def);
            EXPECT_EQ(count(cloth, TWANG_STRUCTURAL), c * (r - 1) + r * (c - 1));
            EXPECT_EQ(count(cloth, TWANG_SHEAR), 2 * (c - 1) * (r - 1));
            EXPECT_EQ(count(cloth, TWANG_BEND), r * (c - 2) + c * (r - 2));
            EXPECT_EQ(cloth.triangles.size(), 3u * 2 * (c - 1) * (r - 1));
            EXPECT_EQ(cloth.dimension, 2);
            def.shear = def.bend = 0.0;
            EXPECT_EQ(built(def).springs.size(), std::size_t(c * (r - 1) + r * (c - 1)));
        }
}

TEST(BuildCloth, VerticesSpringsAndMassesAreWhereTheyShouldBe) {
    ClothDef def;
    def.columns = 4;
    def.rows = 3;
    def.spacing = 0.5;
    def.mass = 3.0;
    def.stiffness = 10.0;
    def.shear = 20.0;
    def.bend = 30.0;
    def.origin = {1.0, 2.0, 3.0};
    def.across = {0.0, 1.0, 0.0};
    def.down = {0.0, 0.0, -1.0};
    const core::Network cloth = built(def);
    const Vec3 expected{1.0, 2.0 + 0.5 * 2, 3.0 - 0.5};
    EXPECT_LT(length(cloth.positions[1 * 4 + 2] - expected), 1e-15);
    for (const core::Spring& s : cloth.springs) {
        const double l = length(cloth.positions[s.a] - cloth.positions[s.b]);
        EXPECT_DOUBLE_EQ(s.rest_length, l);
        const double kinds[3][2] = {{0.5, 10.0}, {0.5 * std::sqrt(2.0), 20.0}, {1.0, 30.0}};
        EXPECT_DOUBLE_EQ(l, kinds[s.kind][0]);
        EXPECT_EQ(s.stiffness, kinds[s.kind][1]);
    }
    // By area: a corner has a quarter of an inner vertex's share, a border half.
    EXPECT_DOUBLE_EQ(total(cloth), 3.0);
    EXPECT_NEAR(cloth.masses[0] / cloth.masses[5], 0.25, 1e-14);
    EXPECT_NEAR(cloth.masses[1] / cloth.masses[5], 0.5, 1e-14);
}

TEST(BuildCloth, ASingleRowOrColumnIsAThread) {
    for (const bool row : {true, false}) {
        ClothDef def;
        def.columns = row ? 6 : 1;
        def.rows = row ? 1 : 6;
        const core::Network thread = built(def);
        EXPECT_EQ(thread.springs.size(), 5u);
        EXPECT_EQ(count(thread, TWANG_STRUCTURAL), 5);
        EXPECT_EQ(thread.dimension, 1);
        EXPECT_DOUBLE_EQ(total(thread), def.mass);
    }
    ClothDef point;
    point.columns = point.rows = 1;
    EXPECT_EQ(built(point).springs.size(), 0u);
    EXPECT_DOUBLE_EQ(total(built(point)), point.mass);
}

TEST(BuildMesh, TetrahedraGiveTheirUniqueEdges) {
    const Mesh one{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {}, {}, {}, {0, 1, 2, 3}};
    EXPECT_EQ(built(one.def()).springs.size(), 6u);
    EXPECT_EQ(built(one.def()).dimension, 3);
    // A lattice: edges of the cubes, a diagonal on each square, a diagonal in each cube.
    for (const int a : {1, 2, 4})
        for (const int b : {1, 3}) {
            const int c = 2;
            const Lattice lattice(a, b, c, 0.1);
            const int edges = a * (b + 1) * (c + 1) + (a + 1) * b * (c + 1) + (a + 1) * (b + 1) * c;
            const int squares = a * b * (c + 1) + a * (b + 1) * c + (a + 1) * b * c;
            const core::Network block = built(lattice.def());
            EXPECT_EQ(count(block, TWANG_STRUCTURAL), edges + squares + a * b * c);
            EXPECT_EQ(block.notes.duplicate_edges, 0u); // shared edges are nobody's mistake
        }
}

TEST(BuildMesh, PolygonsGiveTheirSides) {
    Mesh mesh{two_squares};
    mesh.polygons = {0, 1, 2, 5, 4, 3}; // one hexagon
    EXPECT_EQ(built(mesh.def()).springs.size(), 6u);
    EXPECT_EQ(built(mesh.def()).triangles.size(), 3u * 4);
    mesh.polygons = {0, 1, 4, 3, TWANG_END, TWANG_END, 1, 2, 5, 4, TWANG_END};
    EXPECT_EQ(built(mesh.def()).springs.size(), 7u);
    EXPECT_NE(between(built(mesh.def()), 1, 4), nullptr);
    EXPECT_EQ(between(built(mesh.def()), 0, 4), nullptr); // no diagonals unless asked for
}

TEST(BuildMesh, PolylinesGiveTheirPieces) {
    Mesh mesh{two_squares};
    mesh.polylines = {0, 1, 2, TWANG_END, 3, 4, TWANG_END, 5};
    const core::Network network = built(mesh.def());
    EXPECT_EQ(network.springs.size(), 3u);
    EXPECT_EQ(between(network, 2, 3), nullptr);
    EXPECT_EQ(network.notes.isolated_vertices, 1u);
    EXPECT_EQ(network.dimension, 1);
}

TEST(BuildMesh, BendSpringsJoinFarCornersWhateverTheWinding) {
    for (const bool flipped : {false, true}) {
        Mesh mesh{two_squares};
        mesh.triangles = {0, 1, 4};
        const std::array<std::uint32_t, 3> second =
            flipped ? std::array{4u, 1u, 2u} : std::array{1u, 4u, 2u};
        mesh.triangles.insert(mesh.triangles.end(), second.begin(), second.end());
        MeshDef def = mesh.def();
        def.bend = 5.0;
        const core::Network network = built(def);
        EXPECT_EQ(count(network, TWANG_BEND), 1);
        ASSERT_NE(between(network, 0, 2), nullptr);
        EXPECT_EQ(between(network, 0, 2)->kind, TWANG_BEND);
        EXPECT_EQ(between(network, 0, 2)->stiffness, 5.0);
    }
}

TEST(BuildMesh, TheExplicitSpringCountsThenStructuralShearBend) {
    Mesh mesh{two_squares};
    mesh.quads = {0, 1, 4, 3};
    mesh.triangles = {0, 1, 4}; // its side 0-4 is the quad's diagonal
    mesh.springs = {{1, 0, 77.0, 0.25, TWANG_BEND}};
    MeshDef def = mesh.def();
    def.stiffness = 1.0;
    def.shear = 2.0;
    const core::Network network = built(def);
    ASSERT_NE(between(network, 0, 1), nullptr);
    EXPECT_EQ(between(network, 0, 1)->stiffness, 77.0);
    EXPECT_EQ(between(network, 0, 1)->rest_length, 0.25);
    EXPECT_EQ(between(network, 0, 1)->kind, TWANG_BEND);
    EXPECT_EQ(between(network, 0, 4)->kind, TWANG_STRUCTURAL);
    EXPECT_EQ(between(network, 1, 3)->kind, TWANG_SHEAR);
    EXPECT_EQ(network.springs.size(), 6u);
    EXPECT_EQ(network.notes.duplicate_edges, 0u);
}

TEST(BuildMesh, TetrahedraAreKeptAndShowTheirSkinUnlessThereAreFaces) {
    Mesh mesh{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}}};
    mesh.tetrahedra = {0, 1, 2, 3, 1, 2, 3, 4};
    core::Network network = built(mesh.def());
    EXPECT_EQ(network.tetrahedra, mesh.tetrahedra);
    EXPECT_EQ(network.triangles.size(), 3u * 6); // 2 x 4, the common one is inside
    mesh.triangles = {0, 1, 2};
    network = built(mesh.def());
    EXPECT_EQ(network.triangles, mesh.triangles);
}

// ---- Notes -----------------------------------------------------------------------------------

TEST(BuildMesh, CountsWhatItDoesNotUse) {
    Mesh mesh{two_squares};
    mesh.springs = {{0, 1}, {1, 0}, {2, 2}, {0, 1}};
    mesh.polylines = {1, 1, 2, TWANG_END, 0, 1};
    mesh.triangles = {0, 0, 1};
    mesh.quads = {0, 1, 2, 1};
    mesh.polygons = {0, 1, TWANG_END, 3};
    mesh.tetrahedra = {0, 1, 2, 2};
    const core::Network network = built(mesh.def());
    EXPECT_EQ(network.notes.self_edges, 2u);
    EXPECT_EQ(network.notes.duplicate_edges, 3u);
    EXPECT_EQ(network.notes.degenerate_faces, 5u);
    EXPECT_EQ(network.notes.isolated_vertices, 3u);
    EXPECT_EQ(network.springs.size(), 2u);
    EXPECT_TRUE(network.triangles.empty());
}

// ---- Masses ----------------------------------------------------------------------------------

TEST(BuildMesh, SpreadsADensityByAreaVolumeOrLength) {
    Mesh area{two_squares};
    area.quads = {0, 1, 4, 3};
    area.triangles = {1, 2, 4};
    MeshDef def = area.def();
    def.density = 6.0;
    core::Network network = built(def);
    const double expected[6] = {1.5, 2.5, 1.0, 1.5, 2.5, 1.8}; // the last has the mean
    for (int i = 0; i < 6; ++i) EXPECT_NEAR(network.masses[i], expected[i], 1e-14) << i;

    Mesh volume{{{0, 0, 0}, {2, 0, 0}, {0, 3, 0}, {0, 0, 4}}};
    volume.tetrahedra = {0, 1, 3, 2}; // turned inside out: no matter
    def = volume.def();
    def.density = 10.0;
    network = built(def);
    for (const double mass : network.masses) EXPECT_NEAR(mass, 10.0 * 4.0 / 4.0, 1e-14);

    Mesh line{{{0, 0, 0}, {2, 0, 0}, {2, 3, 0}}};
    line.polylines = {0, 1, 2};
    def = line.def();
    def.density = 2.0;
    network = built(def);
    EXPECT_NEAR(network.masses[0], 2.0, 1e-14);
    EXPECT_NEAR(network.masses[1], 5.0, 1e-14);
    EXPECT_NEAR(network.masses[2], 3.0, 1e-14);
}

TEST(BuildMesh, SpreadsATotalOrTakesMassesAsGiven) {
    Mesh mesh{two_squares};
    mesh.quads = {0, 1, 4, 3};
    MeshDef def = mesh.def();
    def.mass = 12.0; // vertices 2 and 5 have no area: the mean
    for (const double mass : built(def).masses) EXPECT_NEAR(mass, 2.0, 1e-14);
    mesh.quads.clear();
    def = mesh.def();
    def.mass = 3.0; // nothing to measure: evenly
    for (const double mass : built(def).masses) EXPECT_NEAR(mass, 0.5, 1e-14);
    mesh.masses = {1, 2, 3, 4, 5, 6};
    EXPECT_EQ(built(mesh.def()).masses, mesh.masses);
}

// ---- Refusals --------------------------------------------------------------------------------

TEST(BuildMesh, RefusesWhatItCannotMean) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const auto answer = [](auto&& spoil) {
        Mesh mesh{two_squares};
        mesh.springs = {{0, 1}};
        mesh.masses.assign(6, 1.0);
        MeshDef def = mesh.def();
        spoil(mesh, def);
        core::Network network;
        return core::build_mesh(def, network);
    };
    EXPECT_EQ(answer([](Mesh&, MeshDef&) {}), TWANG_OK);
    EXPECT_EQ(answer([](Mesh& m, MeshDef&) { m.springs[0].b = 6; }), TWANG_INDEX_OUT_OF_RANGE);
    EXPECT_EQ(answer([](Mesh& m, MeshDef&) { m.springs[0].stiffness = -1; }), TWANG_OUT_OF_RANGE);
    EXPECT_EQ(answer([](Mesh& m, MeshDef&) { m.springs[0].rest_length = -2; }), TWANG_OUT_OF_RANGE);
    EXPECT_EQ(answer([&](Mesh& m, MeshDef&) { m.springs[0].stiffness = nan; }), TWANG_NOT_FINITE);
    EXPECT_EQ(answer([&](Mesh& m, MeshDef&) { m.points[5].y = nan; }), TWANG_NOT_FINITE);
    EXPECT_EQ(answer([&](Mesh& m, MeshDef&) { m.masses[5] = nan; }), TWANG_NOT_FINITE);
    EXPECT_EQ(answer([&](Mesh& m, MeshDef&) { m.masses[5] = 0.0; }), TWANG_OUT_OF_RANGE);
    EXPECT_EQ(answer([](Mesh&, MeshDef& d) { d.vertex_count = 0; }), TWANG_OUT_OF_RANGE);
    EXPECT_EQ(answer([](Mesh&, MeshDef& d) { d.vertex_count = 100'000'001; }), TWANG_TOO_LARGE);
    EXPECT_EQ(answer([](Mesh&, MeshDef& d) { d.springs = nullptr; }), TWANG_INVALID_ARGUMENT);
    EXPECT_EQ(answer([&](Mesh&, MeshDef& d) { d.bend = nan; }), TWANG_NOT_FINITE);
    EXPECT_EQ(answer([](Mesh&, MeshDef& d) { d.masses = nullptr, d.mass = 0.0; }),
              TWANG_OUT_OF_RANGE);
    EXPECT_EQ(
        answer([](Mesh&, MeshDef& d) { d.masses = nullptr, d.spring_count = 0, d.density = 1.0; }),
        TWANG_OUT_OF_RANGE);
}

TEST(BuildCloth, RefusesWhatItCannotMean) {
    const auto answer = [](auto&& spoil) {
        ClothDef def;
        spoil(def);
        core::Network network;
        return core::build_cloth(def, network);
    };
    const double nan = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(answer([](ClothDef& d) { d.columns = 0; }), TWANG_OUT_OF_RANGE);
    EXPECT_EQ(answer([](ClothDef& d) { d.columns = d.rows = 0xFFFFFFFF; }), TWANG_TOO_LARGE);
    EXPECT_EQ(answer([](ClothDef& d) { d.spacing = 0.0; }), TWANG_OUT_OF_RANGE);
    EXPECT_EQ(answer([](ClothDef& d) { d.mass = -1.0; }), TWANG_OUT_OF_RANGE);
    EXPECT_EQ(answer([](ClothDef& d) { d.stiffness = -1.0; }), TWANG_OUT_OF_RANGE);
    EXPECT_EQ(answer([&](ClothDef& d) { d.across.x = nan; }), TWANG_NOT_FINITE);
    EXPECT_EQ(answer([&](ClothDef& d) { d.shear = nan; }), TWANG_NOT_FINITE);
}

} // namespace
} // namespace twang::test
