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
                case 0:
                    copy[at] = spice[below(spice.size())];
                    break;
                case 1:
                    copy.erase(at, 1 + below(8));
                    break;
                case 2:
                    copy.insert(at, 1, spice[below(spice.size())]);
                    break;
                default:
                    copy.insert(at, copy.substr(at, 1 + below(20)));
            }
        }
        use(copy);
    }
}

} // namespace twang::io::test

#endif // TWANG_TESTS_IO_SUPPORT_HPP
