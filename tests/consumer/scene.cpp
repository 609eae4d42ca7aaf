// The least a program does with twang::io: asks for a scene that is not there.
#include <cstdio>

#include <twang/io.hpp>

int main() {
    const auto scene = twang::io::read_scene("nowhere.json");
    if (scene) return 1;
    std::printf("io: %s\n", scene.error().text().c_str());
    return scene.error().exit == twang::io::Exit::unreadable ? 0 : 1;
}
