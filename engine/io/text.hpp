// Helpers of every reader: a whole file in memory, numbers parsed independently of the locale, and
// words quoted for error messages. Independent of any format.
#ifndef TWANG_IO_TEXT_HPP
#define TWANG_IO_TEXT_HPP

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace twang::io {

// Returns the content of a file or pipe. Fails with Exit::unreadable if that cannot be read, and
// with Exit::invalid above 2 GiB or on a NUL byte, which a parser might take for the end of the
// text.
std::string load_text(const std::string& path);

// Returns the extension in small letters, with its dot: ".obj" of "Net.OBJ"; "" if there is none.
std::string extension_of(const std::string& path);

// Returns the whole word as a number. "nan" and "inf" are numbers too; a number that overflows is
// infinite.
std::optional<double> to_double(std::string_view word);
// Returns the whole word as an integer that fits in 64 bits.
std::optional<std::int64_t> to_integer(std::string_view word);

// Returns the word in quotes, cut after 40 characters, control characters replaced by '?'.
std::string in_quotes(std::string_view word);
// Returns a number with at most nine digits: "0.1", "1e+20", "3".
std::string decimal(double number);

// Returns the candidate with the smallest edit distance; "" if none is within half of the word's
// length.
std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates);

} // namespace twang::io

#endif // TWANG_IO_TEXT_HPP
