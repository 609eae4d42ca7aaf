// The table of keys: code, label, help text and action of each.
#ifndef TWANG_DEMO_KEYS_HPP
#define TWANG_DEMO_KEYS_HPP

#include <span>
#include <string>

#include "view/session.hpp"

namespace twang::demo {

struct Key {
    int code; // GLFW's number
    const char* label;
    const char* help;
    void (*press)(Session& session);
};

std::span<const Key> keys();

// Returns the scenes on the number keys; key 1 opens the first.
std::span<const char* const> scenes_on_keys();

// Performs the action of the key. Returns false when the key has none.
bool press_key(int code, Session& session);

} // namespace twang::demo

#endif // TWANG_DEMO_KEYS_HPP
