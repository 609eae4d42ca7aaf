// The known word nearest to a mistyped word by edit distance, for "did you mean ...?".
#ifndef TWANG_DEMO_NEAREST_HPP
#define TWANG_DEMO_NEAREST_HPP

#include <string>
#include <string_view>
#include <vector>

namespace twang::demo {

// Returns the nearest known word, or "" when the distance of every known word is too large for a
// typing error.
std::string nearest(std::string_view word, const std::vector<std::string>& known);

} // namespace twang::demo

#endif // TWANG_DEMO_NEAREST_HPP
