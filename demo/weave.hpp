// The pattern of the cloth: a tartan, woven thread by thread in a twill.
#ifndef TWANG_DEMO_WEAVE_HPP
#define TWANG_DEMO_WEAVE_HPP

#include <cstdint>
#include <vector>

namespace twang::demo {

constexpr int weave_side = 512;       // pixels; the pattern repeats
constexpr float weave_metres = 0.32f; // of cloth that one repeat covers

// sRGB, three bytes a pixel, row by row.
std::vector<std::uint8_t> make_weave();

} // namespace twang::demo

#endif // TWANG_DEMO_WEAVE_HPP
