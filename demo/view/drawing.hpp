// The input of the renderer: triangle surfaces (skins), rods, lines, dots and balls in world
// coordinates. Nothing here knows springs or bodies. Also Size and Image, which films and pictures
// use.
#ifndef TWANG_DEMO_DRAWING_HPP
#define TWANG_DEMO_DRAWING_HPP

#include <cstdint>
#include <span>
#include <vector>

#include "simulation/linear.hpp"

namespace twang::demo {

struct Colour {
    float red = 1, green = 1, blue = 1; // linear, not sRGB
};

struct Material {
    Colour front;
    Colour back;        // of the side that the normal points away from
    float gloss = 0.1f; // strength of the highlights, 0 (chalk) ... 1 (glazed)
    float thin = 0;     // transmitted light, 0 ... 1; 0: a solid, visible from outside only
    bool woven = false; // multiplies the colour by the cloth's pattern
};

// Triangles with a normal per vertex. The memory of the spans must live until the renderer has
// drawn.
struct Skin {
    std::uint64_t shape = 0;                   // equal numbers promise equal triangles and pattern
    std::span<const float> positions, normals; // xyz per vertex
    std::span<const std::uint32_t> triangles;
    std::span<const float> pattern; // two texture coordinates per vertex, m; may be empty
    Material material;
    Rotation turn; // of positions and normals
    Point offset;  // added to the rotated positions
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
    std::vector<Rod> rods; // cylinders, which throw shadows
    float rod_radius = 0.01f;
    std::vector<Rod> lines; // one pixel wide, just in front of the skins
    std::vector<Rod> dots;  // a few pixels wide, at `from`
    std::vector<Ball> balls;
    float ground = 0; // height of the floor
    Bounds bounds;    // of everything that throws a shadow
};

struct Size {
    int width = 1280, height = 800;
    float aspect() const {
        return static_cast<float>(width) / static_cast<float>(height > 0 ? height : 1);
    }
    bool empty() const { return width < 1 || height < 1; }
    bool operator==(const Size&) const = default;
};

// Pixels as displayed, three bytes each, rows from top to bottom.
struct Image {
    Size size;
    std::vector<std::uint8_t> rgb;
};

} // namespace twang::demo

#endif // TWANG_DEMO_DRAWING_HPP
