// "Did you mean ...?": the known word nearest to a mistyped one.
#ifndef TWANG_DEMO_NEAREST_HPP
#define TWANG_DEMO_NEAREST_HPP

#include <string>
#include <string_view>
#include <vector>

namespace twang::demo {

// The nearest of the known words, or "" when none is near enough to be meant.
std::string nearest(std::string_view word, const std::vector<std::string>& known);

} // namespace twang::demo

#endif // TWANG_DEMO_NEAREST_HPP
