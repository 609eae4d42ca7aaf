// References of a mesh file to its vertices, which count from 1 in both formats. A reference may
// precede its vertex: such references are kept with their lines and checked at the end.
#ifndef TWANG_IO_REFERENCES_HPP
#define TWANG_IO_REFERENCES_HPP

#include <cstdint>
#include <string>
#include <vector>

#include "failure.hpp"

namespace twang::io {

class References {
public:
    // `what` is the name of the things in messages: "vertex".
    References(const std::string& file, std::string what) : file_(file), what_(std::move(what)) {}

    // Returns the index from 0. `count` things have been read so far; `complete` says that no more
    // follow.
    std::uint32_t resolve(std::int64_t written, std::size_t count, int line,
                          bool complete = false) {
        const auto known = static_cast<std::int64_t>(count);
        if (written == 0) fail(file_, line, what_ + " 0: indices count from 1");
        if (written < -known) fail_missing(written, count, line);
        if (written < 0) return static_cast<std::uint32_t>(known + written);
        if (written <= known) return static_cast<std::uint32_t>(written - 1);
        if (complete || written >= TWANG_END) fail_missing(written, count, line);
        pending_.push_back({written, line});
        return static_cast<std::uint32_t>(written - 1);
    }

    // Checks the pending references at the end of the file, which has `count` things.
    void check(std::size_t count) const {
        for (const Pending& pending : pending_) {
            if (pending.written > static_cast<std::int64_t>(count)) {
                fail_missing(pending.written, count, pending.line);
            }
        }
    }

private:
    struct Pending {
        std::int64_t written;
        int line;
    };

    [[noreturn]] void fail_missing(std::int64_t written, std::size_t count, int line) const {
        fail(file_, line,
             what_ + ' ' + std::to_string(written) + " does not exist: there " +
                 (count == 1 ? "is 1" : "are " + std::to_string(count)) +
                 (written < 0 ? " before it" : ""));
    }

    const std::string& file_;
    std::string what_;
    std::vector<Pending> pending_;
};

} // namespace twang::io

#endif // TWANG_IO_REFERENCES_HPP
