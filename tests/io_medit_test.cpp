// The MEDIT reader: what it takes, and that it answers every bad file with the line.
#include "io_support.hpp"

namespace twang::io::test {
namespace {

using Indices = std::vector<std::uint32_t>;
using Numbers = std::vector<double>;

constexpr std::uint32_t end = TWANG_END;

const std::string heading = "MeshVersionFormatted 1\nDimension 3\n";
const std::string four = "Vertices\n4\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 7\n"; // lines 3 to 8

Mesh read_good(const std::string& content) {
    const Files files;
    Result<Mesh> mesh = read_medit(files.write("mesh.mesh", content));
    EXPECT_TRUE(mesh) << (mesh ? "" : mesh.error().text());
    if (!mesh) return {};
    expect_sound(*mesh);
    return *mesh;
}

TEST(Medit, AllSectionsInUse) {
    const Mesh mesh = read_good(heading + four +
                                "Edges\n2\n1 2 0\n3 4 0\nTriangles\n1\n1 2 3 5\n"
                                "Quadrilaterals 1\n1 2 3 4 0\nTetrahedra\n1\n1 2 3 4 9\nEnd\n");
    EXPECT_EQ(mesh.positions, (Numbers{0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1}));
    EXPECT_EQ(mesh.polylines, (Indices{0, 1, end, 2, 3}));
    EXPECT_EQ(mesh.triangles, (Indices{0, 1, 2}));
    EXPECT_EQ(mesh.quads, (Indices{0, 1, 2, 3}));
    EXPECT_EQ(mesh.tetrahedra, (Indices{0, 1, 2, 3}));
    EXPECT_TRUE(mesh.warnings.empty());
}

TEST(Medit, HeadingInEitherForm) {
    EXPECT_EQ(read_good("MeshVersionFormatted\n2\n\nDimension\n3\n" + four + "End").vertex_count(),
              4u);
    EXPECT_EQ(read_good("# made by hand\r\nMeshVersionFormatted 2 Dimension 3\r\n" + four + "End")
                  .vertex_count(),
              4u);
}

TEST(Medit, TwoDimensionsLieInThePlane) {
    const Mesh mesh = read_good(
        "MeshVersionFormatted 1\nDimension 2\nVertices 3\n1 2 0\n3 4 0\n5 6 0\n"
        "Triangles 1\n1 2 3 0\nEnd\n");
    EXPECT_EQ(mesh.positions, (Numbers{1, 2, 0, 3, 4, 0, 5, 6, 0}));
}

TEST(Medit, OtherSectionsArePassedOver) {
    const Mesh mesh =
        read_good(heading + four +
                  "Corners\n2\n1\n2\nRequiredVertices 1\n1\nRidges 0\n"
                  "Normals\n1\n0 0 1\nNormalAtVertices 1 1 1\n"
                  "Hexahedra 1\n1 2 3 4 1 2 3 4 0\nTriangles 1 # one\n1 2 3 0\nEnd\n");
    EXPECT_EQ(mesh.triangles, (Indices{0, 1, 2}));
    EXPECT_TRUE(mesh.warnings.empty());
}

TEST(Medit, AnUnknownSectionIsAWarning) {
    const Mesh mesh = read_good(heading + four +
                                "Triangels\n1\n1 2 3 0\nComment \"Triangles 5\"\n"
                                "Tetrahedra 1\n1 2 3 4 0\nEnd\n");
    EXPECT_TRUE(mesh.triangles.empty());
    EXPECT_EQ(mesh.tetrahedra.size(), 4u);
    ASSERT_EQ(mesh.warnings.size(), 2u);
    EXPECT_NE(mesh.warnings[0].find("mesh.mesh:9: unknown section 'Triangels' passed over; "
                                    "did you mean 'Triangles'?"),
              std::string::npos)
        << mesh.warnings[0];
}

TEST(Medit, AMissingEndIsAWarning) {
    const Mesh mesh = read_good(heading + four);
    ASSERT_EQ(mesh.warnings.size(), 1u);
    EXPECT_NE(mesh.warnings[0].find("End"), std::string::npos);
}

TEST(Medit, ElementsMayComeBeforeVertices) {
    EXPECT_EQ(read_good(heading + "Edges 1\n1 4 0\n" + four + "End").polylines, (Indices{0, 3}));
}

TEST(Medit, NothingIsReadBehindTheEnd) {
    EXPECT_EQ(read_good(heading + four + "End\nnonsense 1 2 3").vertex_count(), 4u);
}

TEST(Medit, FaultsNameTheirLine) {
    const std::vector<Fault> faults = {
        {"", 1, "not a MEDIT file"},
        {"v 0 0 0\n", 1, "not a MEDIT file"},
        {"MeshVersionUnformatted 1\n", 1, "binary"},
        {"MeshVersionFormatted\n", 1, "ends too early"},
        {"MeshVersionFormatted one\n", 1, "expected a whole number, found 'one'"},
        {"MeshVersionFormatted 1\n" + four, 2, "expected Dimension"},
        {"MeshVersionFormatted 1\nDimension 4\n" + four, 2, "2 or 3"},
        {heading, 2, "ends without Vertices"},
        {heading + "Triangles 0\nEnd\n", 4, "without Vertices"},
        {heading + "Vertices 0\nEnd\n", 0, "no vertices"},
        {heading + "Vertices\n-1\nEnd\n", 4, "negative"},
        {heading + "Vertices\nmany\nEnd\n", 4, "expected a whole number"},
        {heading + "Vertices\n1.5\nEnd\n", 4, "expected a whole number"},
        {heading + "Vertices\n1000000000000000000\n0 0 0 0\nEnd\n", 4, "too short"},
        {heading + "Vertices\n9223372036854775807\n0 0 0 0\n", 4, "too short"},
        {heading + "Vertices\n99999999999999999999\n0 0 0 0\n", 4, "expected a whole number"},
        {heading + "Vertices\n4294967296\n0 0 0 0\nEnd\n", 4, "too short"},
        {heading + "Vertices\n2\n0 0 0 0\n1 1 1 ", 6, "ends too early: 1 of 2 Vertices read"},
        {heading + "Vertices\n2\n0 0 0 0\n1 0 0\n", 6, "ends too early"},
        {heading + "Vertices\n2\n0 0 0 0\nTriangles 0\nEnd # padding, padding\n", 6,
         "expected a number, found 'Triangles': 1 of 2 Vertices read"},
        {heading + "Vertices\n1\n0 0 0 0\n1 0 0 0\nEnd\n", 6, "more Vertices than said"},
        {heading + "Vertices\n1\n0 nan 0 0\nEnd\n", 5, "not finite"},
        {heading + "Vertices\n1\n0 1e999 0 0\nEnd\n", 5, "not finite"},
        {heading + "Vertices\n1\n0 x 0 0\nEnd\n", 5, "found 'x'"},
        {heading + four + four, 9, "a second list of Vertices"},
        {heading + four + "Triangles\n1\n1 2 5 0\nEnd\n", 11, "vertex 5 does not exist"},
        {heading + four + "Triangles\n1\n1 2 0 0\nEnd\n", 11, "indices count from 1"},
        {heading + four + "Triangles\n1\n1 2 -1 0\nEnd\n", 11, "indices count from 1"},
        {heading + four + "Triangles\n1\n1 2 99999999999 0\nEnd\n", 11, "does not exist"},
        {heading + four + "Triangles\n1\n1 2 2.5 0\nEnd\n", 11, "found '2.5'"},
        {heading + four + "Tetrahedra\n1\n1 2 3 4\nEnd\n", 12, "found 'End'"},
        {heading + four + "Corners\n3\n1\n2\nEnd\n", 13, "2 of 3 Corners read"},
        {heading + "Edges\n1\n\n1 5 0\n" + four + "End", 6, "vertex 5 does not exist"},
        {heading + "17\n", 3, "expected the name of a section"},
        {heading + four + std::string("Edges\n1\n1 \0 2\n", 14), 11, "NUL"},
    };
    const Files files;
    for (const Fault& fault : faults) {
        const std::string file = files.write("bad.mesh", fault.content);
        expect_fault(read_medit(file), file, fault);
    }
}

TEST(Medit, UnreadableFilesAnswerThree) {
    const Files files;
    for (const std::string& path : {files.path("missing.mesh"), files.folder()}) {
        const Result<Mesh> mesh = read_medit(path);
        ASSERT_FALSE(mesh) << path;
        EXPECT_EQ(mesh.error().exit, Exit::unreadable);
    }
}

TEST(Medit, BrokenCopiesAreReadOrRefused) {
    const Files files;
    const std::string text = heading + four +
                             "Corners 1\n1\nEdges\n1\n1 2 0\nTriangles\n2\n1 2 3 0\n2 3 4 0\n"
                             "Tetrahedra\n1\n1 2 3 4 0\nEnd\n";
    int read = 0, refused = 0;
    with_broken_copies(text, 3000, [&](const std::string& copy) {
        const Result<Mesh> mesh = read_medit(files.write("broken.mesh", copy));
        if (mesh) {
            ++read;
            expect_sound(*mesh);
        } else {
            ++refused;
            EXPECT_FALSE(mesh.error().reason.empty());
            EXPECT_EQ(mesh.error().exit, Exit::invalid) << mesh.error().text();
        }
    });
    EXPECT_GT(read, 100);
    EXPECT_GT(refused, 100);
}

} // namespace
} // namespace twang::io::test
