// Copies of a scene's body: their number and their offsets; reads "copies".
#include "generators.hpp"
#include "scene_parts.hpp"
#include "text.hpp"

namespace twang::io {

double Copies::total() const {
    return static_cast<double>(count[0]) * static_cast<double>(count[1]) *
           static_cast<double>(count[2]);
}

Vec3 Copies::offset(std::size_t index) const {
    const std::size_t row = index / count[0];
    return {spacing.x * static_cast<double>(index % count[0]),
            spacing.y * static_cast<double>(row % count[1]),
            spacing.z * static_cast<double>(row / count[1])};
}

Copies read_copies(const json::Value& value, std::uint32_t vertex_count, Notes& notes) {
    Fields fields(value, "copies", notes);
    Copies copies;
    const json::Value& count = fields.need("count");
    const json::Array& list = as_list(count, "count", notes);
    if (list.size() != 3) notes.fail(count.line, "'count' must be three whole numbers");
    for (std::size_t axis = 0; axis < 3; ++axis) {
        copies.count[axis] = static_cast<std::uint32_t>(
            as_integer(list[axis], "count", notes, between(1, max_vertices)));
    }
    copies.spacing = as_vector(fields.need("spacing"), "spacing", notes);
    fields.warn_of_unknown();
    const double vertices = copies.total() * vertex_count;
    if (vertices > max_vertices) {
        notes.fail(value.line, "the copies have " + decimal(vertices) + " vertices; the limit is " +
                                   decimal(max_vertices));
    }
    return copies;
}

} // namespace twang::io
