// What every reader needs of text: a whole file in memory, numbers independent of the locale, and
// words made fit for an error message. Knows no format.
#ifndef TWANG_IO_TEXT_HPP
#define TWANG_IO_TEXT_HPP

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace twang::io {

// The content of a file or pipe. Fails with Exit::unreadable; with Exit::invalid above 2 GiB or
// where there is a NUL byte, which no text holds and a parser might take for its end.
std::string load_text(const std::string& path);

// ".obj" of "Net.OBJ": in small letters, with its dot; "" when there is none.
std::string extension_of(const std::string& path);

// The whole word as a number; "nan" and "inf" are numbers too, and so is what overflows: infinite.
std::optional<double> to_double(std::string_view word);
// The whole word as an integer that fits in 64 bits.
std::optional<std::int64_t> to_integer(std::string_view word);

// The word in quotes, cut where it is long, without control characters.
std::string in_quotes(std::string_view word);
// A number as people write it: 0.1, 1e+20, 3.
std::string plain(double number);

// The candidate with the fewest letters to change; "" when none is near.
std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates);

} // namespace twang::io

#endif // TWANG_IO_TEXT_HPP
