// The least a C++ program does with Twang: a pinned cloth falls.
#include <cstdio>

#include <twang/twang.hpp>

int main() {
    twang::Model model = twang::Model::cloth({.columns = 5, .rows = 5, .spacing = 0.1});
    twang::World world({.workers = 2});
    twang::Body cloth = world.add(model);
    if (cloth.pin(0) != TWANG_OK) return 1;
    for (int frame = 0; frame < 30; ++frame) {
        if (world.step() != TWANG_OK) {
            std::fprintf(stderr, "%s\n", twang::last_error());
            return 1;
        }
    }
    const float lowest = cloth.positions()[3 * 24 + 1]; // y of the corner across
    std::printf("C++: the free corner went from -0.4 m to %.2f m\n", lowest);
    return lowest < -0.45F ? 0 : 1;
}
