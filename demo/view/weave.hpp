// The pattern of the cloth as a texture: a tartan in a twill weave, computed thread by thread.
#ifndef TWANG_DEMO_WEAVE_HPP
#define TWANG_DEMO_WEAVE_HPP

#include <cstdint>
#include <vector>

namespace twang::demo {

constexpr int weave_side = 512;       // pixels of one repeat of the pattern, both ways
constexpr float weave_metres = 0.32f; // side of the square of cloth that one repeat covers

// Makes the pixels: sRGB, three bytes each, row by row.
std::vector<std::uint8_t> make_weave();

} // namespace twang::demo

#endif // TWANG_DEMO_WEAVE_HPP
