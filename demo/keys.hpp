// The one table of keys: which key, what the help says of it, what it does.
#ifndef TWANG_DEMO_KEYS_HPP
#define TWANG_DEMO_KEYS_HPP

#include <span>
#include <string>

#include "session.hpp"

namespace twang::demo {

struct Key {
    int code; // GLFW's number
    const char* label;
    const char* help;
    void (*press)(Session& session);
};

std::span<const Key> keys();

// The scenes on the number keys: 1 is the first.
std::span<const char* const> scenes_on_keys();

// Does what the key stands for; false when it stands for nothing.
bool press_key(int code, Session& session);

} // namespace twang::demo

#endif // TWANG_DEMO_KEYS_HPP
