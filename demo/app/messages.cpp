#include "app/messages.hpp"

#include <cstdio>

namespace twang::demo {

void say(std::string_view text) {
    std::string line;
    line.reserve(text.size() + 1);
    for (const char c : text) {
        const auto code = static_cast<unsigned char>(c);
        line += code < 0x20 || code == 0x7F ? '?' : c;
    }
    line += '\n';
    std::fwrite(line.data(), 1, line.size(), stderr);
}

int complain(const io::Error& error) {
    say(error.text());
    return static_cast<int>(error.exit);
}

io::Error usage_error(std::string reason) {
    return {"twang_demo", 0, std::move(reason), io::Exit::usage};
}

io::Exit exit_code(Status status) {
    switch (status) {
    case TWANG_OK: return io::Exit::ok;
    case TWANG_UNSUPPORTED: return io::Exit::usage;
    case TWANG_OUT_OF_MEMORY:
    case TWANG_TOO_LARGE: return io::Exit::memory;
    default: return io::Exit::numerical;
    }
}

} // namespace twang::demo
