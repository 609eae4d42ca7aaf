// Reads "pins": finds vertices by index, in a box or nearest to a point, and reads their motions.
#include <algorithm>
#include <cmath>
#include <limits>

#include "mesh.hpp"
#include "scene_parts.hpp"
#include "text.hpp"

namespace twang::io {

namespace {

class PinReader {
public:
    PinReader(std::span<const double> positions, Notes& notes)
        : positions_(positions), notes_(notes), chosen_(positions.size() / 3, false) {}

    Pins read(const json::Value& value) {
        for (const json::Value& item : as_list(value, "pins", notes_)) read_item(item);
        return std::move(pins_);
    }

private:
    void read_item(const json::Value& item) {
        if (item.number()) return read_index(item);
        Fields fields(item, "pins", notes_);
        std::string_view key;
        const json::Value* const value = fields.find_one_of({"index", "box", "nearest"}, key);
        const json::Value* const motion = fields.find("motion");
        fields.warn_of_unknown();
        if (!value) notes_.fail(item.line, "a pin needs one of index, box, nearest");
        const std::size_t before = pins_.vertices.size();
        read_vertices(*value, key);
        if (!motion) return;
        pins_.moving.push_back(
            {{pins_.vertices.begin() + static_cast<std::ptrdiff_t>(before), pins_.vertices.end()},
             read_motion(*motion, Turning::no, notes_)});
    }

    void read_vertices(const json::Value& value, std::string_view key) {
        if (key == "box") return read_box(value);
        if (key == "nearest") return read_nearest(value);
        if (!value.array()) return read_index(value);
        for (const json::Value& index : *value.array()) read_index(index);
    }

    void read_index(const json::Value& value) {
        const Range vertices = between(0, static_cast<double>(chosen_.size()) - 1.0);
        choose(static_cast<std::size_t>(as_integer(value, "index", notes_, vertices)));
    }

    void read_box(const json::Value& value) {
        const json::Array& corners = as_list(value, "box", notes_);
        if (corners.size() != 2) notes_.fail(value.line, "'box' must be [[x, y, z], [x, y, z]]");
        const Vec3 low = as_vector(corners[0], "box", notes_);
        const Vec3 high = as_vector(corners[1], "box", notes_);
        if (low.x > high.x || low.y > high.y || low.z > high.z) {
            notes_.fail(value.line,
                        "the first corner of 'box' must be the lower one on every axis");
        }
        // A margin of 1e-9 of the diagonal: a vertex on a side of the box is inside in spite of
        // rounding.
        const double margin = 1e-9 * bounds_of(positions_).diagonal();
        bool caught = false;
        for (std::size_t vertex = 0; vertex < chosen_.size(); ++vertex) {
            const double* const p = &positions_[3 * vertex];
            const bool inside = p[0] >= low.x - margin && p[0] <= high.x + margin &&
                                p[1] >= low.y - margin && p[1] <= high.y + margin &&
                                p[2] >= low.z - margin && p[2] <= high.z + margin;
            if (inside) choose(vertex);
            caught = caught || inside;
        }
        if (!caught) notes_.warn(value.line, "there is no vertex in this box of 'pins'");
    }

    void read_nearest(const json::Value& value) {
        const Vec3 point = as_vector(value, "nearest", notes_);
        double min_distance = std::numeric_limits<double>::infinity();
        std::size_t best = 0;
        for (std::size_t vertex = 0; vertex < chosen_.size(); ++vertex) {
            const double* const p = &positions_[3 * vertex];
            const double distance = std::hypot(p[0] - point.x, p[1] - point.y, p[2] - point.z);
            if (distance >= min_distance) continue;
            min_distance = distance;
            best = vertex;
        }
        choose(best);
    }

    void choose(std::size_t vertex) {
        if (!chosen_[vertex]) pins_.vertices.push_back(static_cast<std::uint32_t>(vertex));
        chosen_[vertex] = true;
    }

    std::span<const double> positions_;
    Notes& notes_;
    std::vector<bool> chosen_;
    Pins pins_;
};

} // namespace

Pins read_pins(const json::Value& value, std::span<const double> positions, Notes& notes) {
    return PinReader(positions, notes).read(value);
}

} // namespace twang::io
