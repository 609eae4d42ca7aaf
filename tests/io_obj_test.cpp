// The OBJ reader: what it takes, and that it answers every bad file with the line.
#include "io_support.hpp"

namespace twang::io::test {
namespace {

using Indices = std::vector<std::uint32_t>;
using Numbers = std::vector<double>;

constexpr std::uint32_t end = TWANG_END;

Mesh read_good(const std::string& content) {
    const Files files;
    Result<Mesh> mesh = read_obj(files.write("mesh.obj", content));
    EXPECT_TRUE(mesh) << (mesh ? "" : mesh.error().text());
    if (!mesh) return {};
    expect_sound(*mesh);
    return *mesh;
}

const std::string five = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0.5 2 0\n";

TEST(Obj, FacesStayAsWritten) {
    const Mesh mesh = read_good(five + "f 1 2 3\nf 1 2 3 4\nf 1 2 3 5 4\nf 5 4 3 2 1\n");
    EXPECT_EQ(mesh.positions, (Numbers{0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0.5, 2, 0}));
    EXPECT_EQ(mesh.triangles, (Indices{0, 1, 2}));
    EXPECT_EQ(mesh.quads, (Indices{0, 1, 2, 3}));
    EXPECT_EQ(mesh.polygons, (Indices{0, 1, 2, 4, 3, end, 4, 3, 2, 1, 0}));
    EXPECT_TRUE(mesh.polylines.empty());
    EXPECT_TRUE(mesh.texture.empty());
    EXPECT_TRUE(mesh.warnings.empty());
}

TEST(Obj, TwoVertexFacesAndLinesArePolylines) {
    const Mesh mesh = read_good(five + "f 1 2\nl 3 4 5\nl 1/1 5/1\nvt 0 0\n");
    EXPECT_EQ(mesh.polylines, (Indices{0, 1, end, 2, 3, 4, end, 0, 4}));
}

TEST(Obj, CornersInAllForms) {
    const Mesh mesh =
        read_good(five + "vt 0.25 0.5\nvt 0.75\nvn 0 0 1\nf 1 2/1 3//1\nf 4/2/1 5/2/-1 3/ 1//\n");
    EXPECT_EQ(mesh.triangles, (Indices{0, 1, 2}));
    EXPECT_EQ(mesh.quads, (Indices{3, 4, 2, 0}));
    EXPECT_EQ(mesh.texture, (Numbers{0, 0, 0.25, 0.5, 0, 0, 0.75, 0, 0.75, 0}));
}

TEST(Obj, AVertexOnASeamKeepsItsFirstTextureCoordinates) {
    const Mesh mesh = read_good(five + "vt 0 0\nvt 1 1\nf 1/1 2/1 3/1\nf 1/2 3/2 4/2\n");
    EXPECT_EQ(mesh.texture, (Numbers{0, 0, 0, 0, 0, 0, 1, 1, 0, 0}));
}

TEST(Obj, NegativeIndicesCountBackwards) {
    const Mesh mesh = read_good("v 0 0 0\nv 1 0 0\nv 1 1 0\nf -3 -2 -1\nv 0 1 0\nf -4 -2 -1\n");
    EXPECT_EQ(mesh.triangles, (Indices{0, 1, 2, 0, 2, 3}));
}

TEST(Obj, AFaceMayComeBeforeItsVertices) {
    EXPECT_EQ(read_good("f 1 2 3\n" + five).triangles, (Indices{0, 1, 2}));
}

TEST(Obj, CarriageReturnsContinuationsCommentsAndBlanks) {
    const Mesh mesh = read_good(
        "# a comment\r\n\r\n\tv  0 0\t0 # the origin\r\nv 1 0 0\r\nv 1 \\\r\n1 \\\r\n 0\r\n"
        "f 1 2 \\\n3\n# no continuation \\\nl 1 2");
    EXPECT_EQ(mesh.positions, (Numbers{0, 0, 0, 1, 0, 0, 1, 1, 0}));
    EXPECT_EQ(mesh.triangles, (Indices{0, 1, 2}));
    EXPECT_EQ(mesh.polylines, (Indices{0, 1}));
}

TEST(Obj, VerticesMayHaveWeightsAndColours) {
    const Mesh mesh = read_good("v 1 2 3 1.0\nv 4 5 6 0.1 0.2 0.3\nv +7 8e0 -9 1 0.1 0.2 0.3\n");
    EXPECT_EQ(mesh.positions, (Numbers{1, 2, 3, 4, 5, 6, 7, 8, -9}));
}

TEST(Obj, WhatIsTooSmallForADoubleIsZero) {
    EXPECT_EQ(read_good("v 1e-400 -1e-4000 0\n").positions[0], 0.0);
}

TEST(Obj, OtherKeywordsArePassedOver) {
    const Mesh mesh = read_good("mtllib x.mtl\no thing\ng a b\nusemtl red\ns off\nvn 0 0 1\n" +
                                five + "vp 0.1 0.2\np 1\nf 1 2 3\n");
    EXPECT_EQ(mesh.triangles.size(), 3u);
    EXPECT_TRUE(mesh.warnings.empty());
}

TEST(Obj, AnUnknownKeywordIsAWarning) {
    const Mesh mesh = read_good(five + "vx 1 2 3\nquux\n");
    ASSERT_EQ(mesh.warnings.size(), 1u);
    EXPECT_NE(mesh.warnings[0].find("mesh.obj:6: unknown keyword 'vx'"), std::string::npos)
        << mesh.warnings[0];
}

TEST(Obj, RepeatedVerticesAreLeftToTheEngine) {
    const Mesh mesh = read_good(five + "f 1 1 2\nf 3 3\n");
    EXPECT_EQ(mesh.triangles, (Indices{0, 0, 1}));
    EXPECT_EQ(mesh.polylines, (Indices{2, 2}));
}

TEST(Obj, FaultsNameTheirLine) {
    const std::vector<Fault> faults = {
        {five + "f 1 2 99999999\n", 6, "vertex 99999999 does not exist: there are 5"},
        {five + "f 1 2 3\n\nf 1 2 6\n", 8, "vertex 6"},
        {"v 0 0 0\nf 1 2\n", 2, "there is 1"},
        {five + "f -5 -4 -6\n", 6, "vertex -6 does not exist: there are 5 before it"},
        {"v 0 0 0\nf -5 1 1\n", 2, "vertex -5"},
        {five + "f 1 2 18446744073709551616\n", 6, "not an index"},
        {five + "f 1 2 4294967295\n", 6, "vertex 4294967295"},
        {five + "f 1 2 4294967297\n", 6, "vertex 4294967297"},
        {five + "f 0 1 2\n", 6, "indices count from 1"},
        {five + "f 1 2 x\n", 6, "'x' is not an index"},
        {five + "f 1 2 3.5\n", 6, "'3.5' is not an index"},
        {five + "f 1/2/3/4 2 3\n", 6, "not a corner"},
        {five + "f /1 2 3\n", 6, "not an index"},
        {five + "f 1//x 2 3\n", 6, "not an index"},
        {five + "vt 0 0\nf 1/2 2/1 3/1\n", 7, "texture coordinate 2"},
        {five + "vt 0 0\nf 1/-2 2/1 3/1\n", 7, "texture coordinate -2"},
        {five + "f\n", 6, "a face without vertices"},
        {five + "f 3\n", 6, "at least two vertices"},
        {five + "l 3\n", 6, "at least two vertices"},
        {five + "l\n", 6, "at least two vertices"},
        {"v nan 0 0\n", 1, "'nan' is not finite"},
        {"v 0 0 0\nv 0 inf 0\n", 2, "'inf' is not finite"},
        {"v 0 0 0\nv 0 0 -INFINITY\n", 2, "not finite"},
        {"v 1e999 0 0\n", 1, "'1e999' is not finite"},
        {"v 1e99999 0 0\n", 1, "not finite"},
        {five + "vt nan 0\n", 6, "not finite"},
        {"v 1 2\n", 1, "three coordinates"},
        {"v 0 0 0\nv\n", 2, "three coordinates"},
        {"v 1 2 3 4 5\n", 1, "too many"},
        {"v 1 2 3 4 5 6 7 8\n", 1, "too many"},
        {"v 1 2 3 4 5 6 7 8 9 10\n", 1, "too many"},
        {"v 1 2 three\n", 1, "'three' is not a number"},
        {"v 1 2 3x\n", 1, "'3x' is not a number"},
        {"v 1 2 --3\n", 1, "not a number"},
        {"v 1 2 +-3\n", 1, "not a number"},
        {five + "vt\n", 6, "texture coordinates"},
        {five + "vt 1 2 3 4\n", 6, "texture coordinates"},
        {"v 0 0 0\nv 1 \\\nx 0\n", 2, "'x' is not a number"},
        {"v 0 0 0\n" + std::string(1 << 20, 'x') + "\n", 2, "longer than 256 KiB"},
        {"v 0 0 0\nv " + std::string(1 << 20, '1') + " 0 0\n", 2, "longer than 256 KiB"},
        {"v 0 0 0\n#" + std::string(1 << 20, ' ') + "\n", 2, "longer than 256 KiB"},
        {"v 0 0 0\nf" + std::string(200000, ' ') + "\\\n" + std::string(200000, ' ') + "1 1\n", 2,
         "longer than 256 KiB"},
        {"v 0 0 0\nv 1 0 0\n" + std::string("v 1 \0 0\n", 8), 3, "NUL"},
        {"v 0 0 0\n#" + std::string(1, '\0'), 2, "NUL"},
        {std::string(64, '\0'), 1, "NUL"},
        {"", 0, "no vertices"},
        {"# nothing\n\n", 0, "no vertices"},
        {"f 1 2 3\n", 0, "no vertices"},
    };
    const Files files;
    for (const Fault& fault : faults) {
        const std::string file = files.write("bad.obj", fault.content);
        expect_fault(read_obj(file), file, fault);
    }
}

TEST(Obj, UnreadableFilesAnswerThree) {
    const Files files;
    for (const std::string& path : {files.path("missing.obj"), files.folder(), std::string(),
                                    std::string("/dev/null"), files.path("a/b/c.obj")}) {
        const Result<Mesh> mesh = read_obj(path);
        ASSERT_FALSE(mesh) << path;
        EXPECT_EQ(mesh.error().exit, Exit::unreadable) << mesh.error().text();
        EXPECT_EQ(mesh.error().line, 0);
        EXPECT_EQ(mesh.error().file, path);
    }
    EXPECT_NE(read_obj(files.folder()).error().reason.find("it is a directory"), std::string::npos);
}

TEST(Obj, ALongButLegalLineIsRead) {
    std::string line = "l 1";
    for (int i = 0; i < 20000; ++i) line += i % 2 == 0 ? " 2" : " 1";
    EXPECT_EQ(read_good("v 0 0 0\nv 1 0 0\n" + line).polylines.size(), 20001u);
}

TEST(Obj, BrokenCopiesAreReadOrRefused) {
    const Files files;
    const std::string text = five +
                             "vt 0.5 0.5\nvn 0 0 1\nf 1/1/1 2/1/1 3/1/1\nf 1 2 3 4\n"
                             "f -1 -2 -3 -4 -5 # all\nl 1 2 \\\n 3\r\nf 1 2\n";
    int read = 0, refused = 0;
    with_broken_copies(text, 3000, [&](const std::string& copy) {
        const Result<Mesh> mesh = read_obj(files.write("broken.obj", copy));
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

TEST(ReadMesh, ChoosesByExtension) {
    const Files files;
    EXPECT_TRUE(read_mesh(files.write("a.OBJ", five)));
    const Result<Mesh> other = read_mesh(files.write("a.txt", five));
    ASSERT_FALSE(other);
    EXPECT_EQ(other.error().exit, Exit::invalid);
    const Result<Mesh> missing = read_mesh(files.path("missing.txt"));
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().exit, Exit::unreadable);
}

} // namespace
} // namespace twang::io::test
