#include "view/weave.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace twang::demo {
namespace {

constexpr int thread_width = 4; // pixels
constexpr int threads = weave_side / thread_width;

struct Colour {
    float red, green, blue;
};
constexpr Colour navy = {32, 52, 92}, teal = {40, 112, 128}, cream = {240, 228, 204},
                 saffron = {226, 158, 58}, brick = {176, 62, 52};

// Returns the colour of a thread. The second half of a repeat is the mirror image of the first.
Colour thread_colour(int thread) {
    const int t = thread < threads / 2 ? thread : threads - 1 - thread;
    if (t < 16) return navy;
    if (t < 18) return cream;
    if (t < 30) return teal;
    if (t < 32) return navy;
    if (t < 46) return teal;
    if (t < 49) return saffron;
    if (t < 58) return navy;
    return brick;
}

// Returns a hash of thread and position along the thread, from 0 to 1.
float grain(int thread, int along) {
    std::uint32_t hash = static_cast<std::uint32_t>(thread) * 374761393u +
                         static_cast<std::uint32_t>(along) * 668265263u;
    hash = (hash ^ (hash >> 13)) * 1274126177u;
    return static_cast<float>((hash ^ (hash >> 16)) & 0xFFFF) / 65535.0f;
}

} // namespace

std::vector<std::uint8_t> make_weave() {
    std::vector<std::uint8_t> pixels;
    pixels.reserve(3 * weave_side * weave_side);
    for (int y = 0; y < weave_side; ++y) {
        for (int x = 0; x < weave_side; ++x) {
            const int warp = x / thread_width, weft = y / thread_width;
            const bool warp_on_top = (warp + weft) % 4 < 2; // twill: two over, two under
            const int thread = warp_on_top ? warp : weft;
            const int across = (warp_on_top ? x : y) % thread_width;
            const Colour colour = thread_colour(thread);
            // A thread is round, so its sides are darker; the hash varies the brightness by +-5 %.
            const float side = (across + 0.5f) / thread_width - 0.5f;
            const float light =
                1.06f - 0.9f * side * side + 0.10f * (grain(thread, warp_on_top ? y : x) - 0.5f);
            for (const float channel : std::array{colour.red, colour.green, colour.blue}) {
                pixels.push_back(
                    static_cast<std::uint8_t>(std::clamp(channel * light, 0.0f, 255.0f)));
            }
        }
    }
    return pixels;
}

} // namespace twang::demo
