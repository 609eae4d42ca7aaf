// Wavefront OBJ: vertices, texture coordinates, faces as written, and lines. Normals, groups,
// materials and the like are skipped; free-form surfaces are not read.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "failure.hpp"
#include "references.hpp"
#include "text.hpp"

namespace twang::io {

namespace {

constexpr std::size_t max_line = 256 * 1024; // bytes, continuations included

constexpr std::array<std::string_view, 36> skipped = {
    "vn",     "vp",     "g",     "o",        "s",        "mg",         "usemtl",    "mtllib",
    "usemap", "maplib", "lod",   "bevel",    "p",        "cstype",     "deg",       "bmat",
    "step",   "curv",   "curv2", "surf",     "parm",     "trim",       "hole",      "scrv",
    "sp",     "end",    "con",   "c_interp", "d_interp", "shadow_obj", "trace_obj", "ctech",
    "stech",  "call",   "csh",   "newmtl"};

class ObjReader {
public:
    ObjReader(const std::string& file, std::string_view text) : file_(file), text_(text) {}

    Mesh read() {
        while (next_line()) {
            const std::string_view keyword = next_word();
            if (keyword == "v") {
                read_vertex();
            } else if (keyword == "vt") {
                read_texture();
            } else if (keyword == "f") {
                read_face();
            } else if (keyword == "l") {
                read_polyline();
            } else if (!keyword.empty()) {
                pass_over(keyword);
            }
        }
        if (mesh_.positions.empty()) fail(file_, 0, "no vertices: this is not an OBJ file");
        vertices_.check(mesh_.vertex_count());
        textures_.check(texture_.size() / 2);
        assign_texture();
        return std::move(mesh_);
    }

private:
    struct TexturedCorner {
        std::uint32_t vertex, texture;
    };

    [[noreturn]] void fail_here(std::string reason) const { fail(file_, line_, std::move(reason)); }

    // Returns the next line of the file without its line end and its comment.
    std::string_view next_physical_line() {
        const std::size_t end = std::min(text_.find('\n'), text_.size());
        std::string_view line = text_.substr(0, end);
        text_.remove_prefix(std::min(end + 1, text_.size()));
        ++physical_line_;
        if (line.size() > max_line) {
            fail(file_, physical_line_, "the line is longer than 256 KiB");
        }
        if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
        return line.substr(0, line.find('#'));
    }

    // Sets rest_ to the next line, joined with its continuations.
    bool next_line() {
        if (text_.empty()) return false;
        rest_ = next_physical_line();
        line_ = physical_line_;
        if (rest_.empty() || rest_.back() != '\\') return true;
        joined_ = rest_;
        while (!joined_.empty() && joined_.back() == '\\') {
            joined_.back() = ' ';
            if (text_.empty()) break;
            joined_ += next_physical_line();
            if (joined_.size() > max_line) fail_here("the line is longer than 256 KiB");
        }
        rest_ = joined_;
        return true;
    }

    std::string_view next_word() {
        constexpr std::string_view blanks = " \t\r\v\f";
        const std::size_t start = std::min(rest_.find_first_not_of(blanks), rest_.size());
        rest_.remove_prefix(start);
        const std::size_t length = std::min(rest_.find_first_of(blanks), rest_.size());
        const std::string_view word = rest_.substr(0, length);
        rest_.remove_prefix(length);
        return word;
    }

    // Reads the rest of the line as numbers; returns their count, or numbers.size() + 1 if there
    // are more.
    std::size_t read_numbers(std::span<double> numbers) {
        std::size_t count = 0;
        for (std::string_view word = next_word(); !word.empty(); word = next_word()) {
            const std::optional<double> number = to_double(word);
            if (!number) fail_here(in_quotes(word) + " is not a number");
            if (!std::isfinite(*number))
                fail_here("the number " + in_quotes(word) + " is not finite");
            if (count == numbers.size()) return count + 1;
            numbers[count++] = *number;
        }
        return count;
    }

    void read_vertex() { // x y z, optionally w, optionally a colour
        std::array<double, 8> numbers;
        const std::size_t count = read_numbers(numbers);
        if (count < 3) fail_here("a vertex needs three coordinates");
        if (count == 5 || count > 7) fail_here("a vertex has too many coordinates");
        mesh_.positions.insert(mesh_.positions.end(), numbers.begin(), numbers.begin() + 3);
    }

    void read_texture() { // u, optionally v, optionally w
        std::array<double, 3> numbers{};
        const std::size_t count = read_numbers(numbers);
        if (count < 1 || count > 3) fail_here("texture coordinates are one to three numbers");
        texture_.insert(texture_.end(), numbers.begin(), numbers.begin() + 2);
    }

    std::int64_t read_index(std::string_view part, std::string_view word) const {
        const std::optional<std::int64_t> index = to_integer(part);
        if (!index) fail_here(in_quotes(word) + " is not an index");
        return *index;
    }

    // v, v/vt, v//vn or v/vt/vn
    std::uint32_t read_corner(std::string_view word) {
        std::array<std::string_view, 3> parts;
        std::size_t count = 0;
        for (std::string_view rest = word;; ++count) {
            if (count == parts.size()) fail_here(in_quotes(word) + " is not a corner of a face");
            const std::size_t slash = rest.find('/');
            parts[count] = rest.substr(0, slash);
            if (slash == rest.npos) break;
            rest.remove_prefix(slash + 1);
        }
        const std::uint32_t vertex =
            vertices_.resolve(read_index(parts[0], word), mesh_.vertex_count(), line_);
        if (!parts[1].empty()) {
            const std::int64_t written = read_index(parts[1], word);
            corners_.push_back({vertex, textures_.resolve(written, texture_.size() / 2, line_)});
        }
        if (!parts[2].empty()) read_index(parts[2], word);
        return vertex;
    }

    void read_corners() {
        indices_.clear();
        for (std::string_view word = next_word(); !word.empty(); word = next_word()) {
            indices_.push_back(read_corner(word));
        }
    }

    void read_face() {
        read_corners();
        switch (indices_.size()) {
        case 0: fail_here("a face without vertices");
        case 1: fail_here("a face needs at least two vertices");
        case 2: append_separated(mesh_.polylines); break;
        case 3: append(mesh_.triangles); break;
        case 4: append(mesh_.quads); break;
        default: append_separated(mesh_.polygons);
        }
    }

    void read_polyline() {
        read_corners();
        if (indices_.size() < 2) fail_here("a line needs at least two vertices");
        append_separated(mesh_.polylines);
    }

    void append(std::vector<std::uint32_t>& list) const {
        list.insert(list.end(), indices_.begin(), indices_.end());
    }

    void append_separated(std::vector<std::uint32_t>& list) const {
        if (!list.empty()) list.push_back(TWANG_END);
        append(list);
    }

    // Skips a line. The first unknown keyword gives a warning: it may be misspelt.
    void pass_over(std::string_view keyword) {
        const auto known = std::find(skipped.begin(), skipped.end(), keyword);
        if (known != skipped.end() || !mesh_.warnings.empty()) return;
        mesh_.warnings.push_back(
            Error{file_, line_, "unknown keyword " + in_quotes(keyword) + " passed over"}.text());
    }

    // A vertex on a seam has several texture coordinates; the first in the file counts.
    void assign_texture() {
        if (corners_.empty()) return;
        mesh_.texture.assign(2 * std::size_t{mesh_.vertex_count()}, 0.0);
        std::for_each(corners_.rbegin(), corners_.rend(), [this](const TexturedCorner& corner) {
            const std::size_t to = 2 * std::size_t{corner.vertex};
            const std::size_t from = 2 * std::size_t{corner.texture};
            std::copy_n(texture_.begin() + from, 2, mesh_.texture.begin() + to);
        });
    }

    const std::string& file_;
    std::string_view text_; // unread rest of the file
    std::string_view rest_; // unread rest of the current line
    std::string joined_;    // the current line, if it has continuations
    int physical_line_ = 0;
    int line_ = 0; // where the current line starts
    Mesh mesh_;
    std::vector<double> texture_; // uv as listed
    std::vector<TexturedCorner> corners_;
    std::vector<std::uint32_t> indices_; // of the current face
    References vertices_{file_, "vertex"};
    References textures_{file_, "texture coordinate"};
};

} // namespace

Result<Mesh> read_obj(const std::string& path) {
    return guarded(path, [&] {
        const std::string text = load_text(path);
        return ObjReader(path, text).read();
    });
}

} // namespace twang::io
