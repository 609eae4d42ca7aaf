// What the tests of the readers share: files that vanish with the test, and broken copies of texts.
#ifndef TWANG_TESTS_IO_SUPPORT_HPP
#define TWANG_TESTS_IO_SUPPORT_HPP

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <twang/io.hpp>

namespace twang::io::test {

// A folder of its own for each test.
class Files {
public:
    Files() {
        static int count = 0;
        folder_ = std::filesystem::temp_directory_path() /
                  ("twang-io-" + std::to_string(getpid()) + '-' + std::to_string(count++));
        std::filesystem::create_directories(folder_);
    }
    Files(const Files&) = delete;
    Files& operator=(const Files&) = delete;
    ~Files() {
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }

    std::string path(const std::string& name) const { return (folder_ / name).string(); }
    std::string write(const std::string& name, std::string_view content) const {
        std::filesystem::remove(path(name)); // some file systems flush a file that is overwritten
        std::ofstream(path(name), std::ios::binary) << content;
        return path(name);
    }
    std::string folder() const { return folder_.string(); }

private:
    std::filesystem::path folder_;
};

// A faulty file, the line that the answer must name and a piece of its reason.
struct Fault {
    std::string content;
    int line;
    std::string reason;
};

template <class T>
void expect_fault(const Result<T>& result, const std::string& file, const Fault& fault) {
    SCOPED_TRACE(fault.content.substr(0, 200));
    ASSERT_FALSE(result);
    const Error& error = result.error();
    EXPECT_EQ(error.exit, Exit::invalid) << error.text();
    EXPECT_EQ(error.file, file);
    EXPECT_EQ(error.line, fault.line) << error.text();
    EXPECT_NE(error.reason.find(fault.reason), std::string::npos) << error.text();
    EXPECT_EQ(error.text().find('\n'), std::string::npos);
    EXPECT_LT(error.reason.size(), 300u);
}

// Indices in range, numbers finite: what everything behind the readers relies on.
inline void expect_sound(const Mesh& mesh) {
    ASSERT_GT(mesh.vertex_count(), 0u);
    ASSERT_EQ(mesh.positions.size() % 3, 0u);
    for (const double p : mesh.positions) ASSERT_TRUE(std::isfinite(p));
    for (const auto* list : {&mesh.triangles, &mesh.quads, &mesh.tetrahedra}) {
        for (const std::uint32_t index : *list) ASSERT_LT(index, mesh.vertex_count());
    }
    for (const auto* list : {&mesh.polygons, &mesh.polylines}) {
        for (const std::uint32_t index : *list) {
            ASSERT_TRUE(index == TWANG_END || index < mesh.vertex_count());
        }
    }
    ASSERT_TRUE(mesh.texture.empty() || mesh.texture.size() == 2u * mesh.vertex_count());
}

// Calls `use` with the text cut at every place, and with `count` copies that have a few of their
// characters replaced, removed or doubled.
template <class Use>
void with_broken_copies(const std::string& text, int count, Use use) {
    for (std::size_t end = 0; end < text.size(); ++end) use(text.substr(0, end));
    std::mt19937 random(12345);
    constexpr std::string_view spice = "0189-+.eE/\\#\"{}[],: \n\r\tnaif\x01\x80\xff";
    const auto below = [&](std::size_t limit) { return random() % limit; };
    for (int i = 0; i < count; ++i) {
        std::string copy = text;
        for (std::size_t changes = 1 + below(3); changes > 0 && !copy.empty(); --changes) {
            const std::size_t at = below(copy.size());
            switch (below(4)) {
            case 0: copy[at] = spice[below(spice.size())]; break;
            case 1: copy.erase(at, 1 + below(8)); break;
            case 2: copy.insert(at, 1, spice[below(spice.size())]); break;
            default: copy.insert(at, copy.substr(at, 1 + below(20)));
            }
        }
        use(copy);
    }
}

// A scene that must be readable, and one that must run.
inline Scene read_good_scene(const std::string& content) {
    const Files files;
    Result<Scene> scene = read_scene(files.write("scene.json", content));
    EXPECT_TRUE(scene) << (scene ? "" : scene.error().text());
    return scene ? *scene : Scene();
}

inline Stage run(const Scene& scene) {
    Result<Stage> stage = instantiate(scene);
    EXPECT_TRUE(stage) << (stage ? "" : stage.error().text());
    return stage ? std::move(*stage) : Stage();
}

inline std::vector<SpringDef> springs_of(const Model& model) {
    std::vector<SpringDef> springs(model.info().springs);
    EXPECT_EQ(twang_model_copy_springs(model.get(), springs.data(), springs.size()), TWANG_OK);
    return springs;
}

inline std::vector<double> masses_of(const Model& model) {
    std::vector<double> masses(model.info().vertices);
    EXPECT_EQ(twang_model_copy_masses(model.get(), masses.data(), masses.size()), TWANG_OK);
    return masses;
}

inline bool same(Vec3 a, Vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

// Nine vertices, 0.5 m apart, from the origin to (1, -1, 0): for a scene's "shape".
inline const std::string small_cloth =
    R"("shape": {"cloth": {"columns": 3, "rows": 3, "spacing": 0.5}})";

// Six vertices, seven sides.
inline const std::string two_quads =
    "v 0 0 0\nv 1 0 0\nv 2 0 0\nv 0 1 0\nv 1 1 0\nv 2 1 0\nf 1 2 5 4\nf 2 3 6 5\n";

} // namespace twang::io::test

#endif // TWANG_TESTS_IO_SUPPORT_HPP
