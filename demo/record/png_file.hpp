// Writes a picture as a PNG file.
#ifndef TWANG_DEMO_PNG_FILE_HPP
#define TWANG_DEMO_PNG_FILE_HPP

#include <optional>
#include <string>

#include <twang/io.hpp>

#include "view/drawing.hpp"

namespace twang::demo {

std::optional<io::Error> write_png(const std::string& path, const Image& image);

} // namespace twang::demo

#endif // TWANG_DEMO_PNG_FILE_HPP
