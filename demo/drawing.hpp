// What the renderer is given to draw: skins, rods, lines and balls, and nothing about springs.
#ifndef TWANG_DEMO_DRAWING_HPP
#define TWANG_DEMO_DRAWING_HPP

#include <cstdint>
#include <span>
#include <vector>

#include "linear.hpp"

namespace twang::demo {

struct Colour {
    float red = 1, green = 1, blue = 1; // linear, not sRGB
};

struct Material {
    Colour front;
    Colour back;        // of the side that is seen against the normal
    float gloss = 0.1f; // 0: chalk, 1: glazed
    float thin = 0;     // how much light goes through, 0 ... 1; 0: a solid, seen from outside only
    bool woven = false; // the cloth's pattern in place of the colour
};

// Triangles with a normal per vertex. The spans must live until the drawing is drawn.
struct Skin {
    std::uint64_t shape = 0; // skins with the same number have the same triangles and pattern
    std::span<const float> positions, normals; // xyz per vertex
    std::span<const std::uint32_t> triangles;
    std::span<const float> pattern; // two coordinates a vertex; may be empty
    Material material;
    Turn turn;    // of positions and normals
    Point offset; // added to the positions after that
};

struct Rod {
    Point from, to;
    Colour colour;
};

struct Ball {
    Point centre;
    float radius = 0.01f;
    Colour colour;
};

struct Drawing {
    std::vector<Skin> skins;
    std::vector<Rod> rods; // round, with a shadow
    float rod_radius = 0.01f;
    std::vector<Rod> lines; // a pixel wide, drawn over the skins
    std::vector<Rod> dots;  // where `from` is, a few pixels wide
    std::vector<Ball> balls;
    float ground = 0; // height of the floor
    Bounds bounds;    // of all that throws a shadow
};

struct Size {
    int width = 1280, height = 800;
    float aspect() const {
        return static_cast<float>(width) / static_cast<float>(height > 0 ? height : 1);
    }
    bool empty() const { return width < 1 || height < 1; }
    bool operator==(const Size&) const = default;
};

// Pixels as they are seen: rows from the top, three bytes each.
struct Image {
    Size size;
    std::vector<std::uint8_t> rgb;
};

} // namespace twang::demo

#endif // TWANG_DEMO_DRAWING_HPP
