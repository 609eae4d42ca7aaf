// MEDIT .mesh in ASCII: vertices, edges, triangles, quadrilaterals and tetrahedra. Other sections
// (corners, ridges, normals, hexahedra ...) are counted and skipped.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "failure.hpp"
#include "references.hpp"
#include "text.hpp"

namespace twang::io {

namespace {

struct Section {
    std::string_view name;
    int numbers;           // per line; 0: as many as the mesh has dimensions
    bool reference = true; // followed by a reference number
};

// Sections that are skipped.
constexpr std::array sections = {
    Section{"Hexahedra", 8},
    Section{"Hexaedra", 8},
    Section{"Prisms", 6},
    Section{"Pyramids", 5},
    Section{"Corners", 1, false},
    Section{"Ridges", 1, false},
    Section{"RequiredVertices", 1, false},
    Section{"RequiredEdges", 1, false},
    Section{"RequiredTriangles", 1, false},
    Section{"RequiredQuadrilaterals", 1, false},
    Section{"Normals", 0, false},
    Section{"Tangents", 0, false},
    Section{"NormalAtVertices", 2, false},
    Section{"NormalAtTriangleVertices", 3, false},
    Section{"NormalAtQuadrilateralVertices", 3, false},
    Section{"TangentAtEdges", 3, false},
};

constexpr std::array<std::string_view, 5> used_sections = {"Vertices", "Edges", "Triangles",
                                                           "Quadrilaterals", "Tetrahedra"};

class MeditReader {
public:
    MeditReader(const std::string& file, std::string_view text) : file_(file), text_(text) {}

    Mesh read() {
        read_heading();
        std::string_view word = next();
        for (; !word.empty() && word != "End"; word = next()) {
            if (!is_keyword(word)) {
                fail_here("expected the name of a section, found " + in_quotes(word) +
                          (section_.empty() ? "" : "; are there more " + section_ + " than said?"));
            }
            read_section(word);
        }
        if (!vertices_read_) fail_here("the file ends without Vertices");
        if (mesh_.positions.empty()) fail(file_, 0, "no vertices");
        if (word.empty()) warn("the file ends without End; it may have been cut short");
        return std::move(mesh_);
    }

private:
    [[noreturn]] void fail_here(std::string reason) const { fail(file_, line_, std::move(reason)); }

    void warn(std::string reason) {
        mesh_.warnings.push_back(Error{file_, line_, std::move(reason)}.text());
    }

    static bool is_keyword(std::string_view word) {
        return (word[0] >= 'A' && word[0] <= 'Z') || (word[0] >= 'a' && word[0] <= 'z');
    }

    // Returns the next word or quoted text after blanks and comments; empty at the end of the file.
    std::string_view next() {
        while (!text_.empty()) {
            const char c = text_[0];
            if (c == '#') {
                text_.remove_prefix(std::min(text_.find('\n'), text_.size()));
            } else if (c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\v' || c == '\f') {
                text_.remove_prefix(1);
                if (c == '\n' && !text_.empty()) ++line_; // the last line feed starts no line
            } else {
                break;
            }
        }
        std::size_t length = std::min(text_.find_first_of(" \t\r\n\v\f#"), text_.size());
        if (!text_.empty() && text_[0] == '"') {
            const std::size_t close = std::min(text_.find_first_of("\"\n", 1), text_.size());
            length = close < text_.size() && text_[close] == '"' ? close + 1 : close;
        }
        const std::string_view word = text_.substr(0, length);
        text_.remove_prefix(length);
        return word;
    }

    std::string_view need() {
        const std::string_view word = next();
        if (word.empty()) fail_here("the file ends too early" + progress());
        return word;
    }

    std::string progress() const {
        if (section_.empty()) return {};
        return ": " + std::to_string(done_) + " of " + std::to_string(count_) + ' ' + section_ +
               " read";
    }

    std::int64_t read_integer() {
        const std::string_view word = need();
        const std::optional<std::int64_t> value = to_integer(word);
        if (!value) fail_here("expected a whole number, found " + in_quotes(word) + progress());
        return *value;
    }

    double read_number() {
        const std::string_view word = need();
        const std::optional<double> value = to_double(word);
        if (!value) fail_here("expected a number, found " + in_quotes(word) + progress());
        if (!std::isfinite(*value)) fail_here("the number " + in_quotes(word) + " is not finite");
        return *value;
    }

    void read_heading() {
        const std::string_view first = next();
        if (first == "MeshVersionUnformatted") fail_here("binary MEDIT files are not read");
        if (first != "MeshVersionFormatted") {
            fail_here("not a MEDIT file: it does not start with MeshVersionFormatted");
        }
        read_integer();
        if (need() != "Dimension") fail_here("expected Dimension");
        const std::int64_t dimension = read_integer();
        if (dimension != 2 && dimension != 3) fail_here("the dimension must be 2 or 3");
        dimension_ = static_cast<int>(dimension);
    }

    // Reads the number of elements of a section. Before anything is allocated, that number is
    // checked against the rest of the file: every number takes at least two characters.
    void open_section(std::string_view name, int numbers_each) {
        section_.clear();
        const std::int64_t count = read_integer();
        if (count < 0) fail_here("a negative number of " + std::string(name));
        const std::uint64_t max_count =
            (text_.size() + 1) / (2 * static_cast<std::uint64_t>(numbers_each));
        if (static_cast<std::uint64_t>(count) > max_count) {
            fail_here("the file is too short for " + std::to_string(count) + ' ' +
                      std::string(name));
        }
        section_ = name;
        count_ = static_cast<std::uint64_t>(count);
    }

    void read_section(std::string_view name) {
        if (name == "Vertices") return read_vertices();
        if (name == "Edges") return read_elements<2>(name, mesh_.polylines);
        if (name == "Triangles") return read_elements<3>(name, mesh_.triangles);
        if (name == "Quadrilaterals") return read_elements<4>(name, mesh_.quads);
        if (name == "Tetrahedra") return read_elements<4>(name, mesh_.tetrahedra);
        const auto known =
            std::find_if(sections.begin(), sections.end(),
                         [&](const Section& section) { return section.name == name; });
        if (known == sections.end()) return pass_over_unknown(name);
        const int numbers = (known->numbers == 0 ? dimension_ : known->numbers) + known->reference;
        open_section(name, numbers);
        for (done_ = 0; done_ < count_; ++done_) {
            for (int i = 0; i < numbers; ++i) read_number();
        }
    }

    void read_vertices() {
        if (vertices_read_) fail_here("a second list of Vertices");
        open_section("Vertices", dimension_ + 1);
        mesh_.positions.reserve(3 * count_);
        for (done_ = 0; done_ < count_; ++done_) {
            for (int axis = 0; axis < 3; ++axis) {
                mesh_.positions.push_back(axis < dimension_ ? read_number() : 0.0);
            }
            read_number(); // the reference
        }
        vertices_.check(count_);
        vertices_read_ = true;
    }

    template <int size>
    void read_elements(std::string_view name, std::vector<std::uint32_t>& list) {
        open_section(name, size + 1);
        for (done_ = 0; done_ < count_; ++done_) {
            if (size == 2 && !list.empty()) list.push_back(TWANG_END);
            for (int corner = 0; corner < size; ++corner) list.push_back(read_vertex_index());
            read_number(); // the reference
        }
    }

    std::uint32_t read_vertex_index() {
        const std::int64_t written = read_integer();
        if (written < 0) fail_here("vertex " + std::to_string(written) + ": indices count from 1");
        return vertices_.resolve(written, mesh_.vertex_count(), line_, vertices_read_);
    }

    // Skips an unknown section, up to the next keyword.
    void pass_over_unknown(std::string_view name) {
        const std::string_view near = nearest(name, used_sections);
        warn("unknown section " + in_quotes(name) + " passed over" +
             (near.empty() ? "" : "; did you mean " + in_quotes(near) + "?"));
        section_.clear();
        for (;;) {
            const std::string_view before = text_;
            const int line = line_;
            const std::string_view word = next();
            if (word.empty()) return;
            if (!is_keyword(word)) continue;
            text_ = before;
            line_ = line;
            return;
        }
    }

    const std::string& file_;
    std::string_view text_; // still to be read
    int line_ = 1;
    int dimension_ = 3;
    bool vertices_read_ = false;
    std::string section_; // being read
    std::uint64_t count_ = 0, done_ = 0;
    Mesh mesh_;
    References vertices_{file_, "vertex"};
};

} // namespace

Result<Mesh> read_medit(const std::string& path) {
    return guarded(path, [&] {
        const std::string text = load_text(path);
        return MeditReader(path, text).read();
    });
}

} // namespace twang::io
