#include "record/png_file.hpp"

#include <png.h>

namespace twang::demo {

std::optional<io::Error> write_png(const std::string& path, const Image& image) {
    png_image header{};
    header.version = PNG_IMAGE_VERSION;
    header.width = static_cast<png_uint_32>(image.size.width);
    header.height = static_cast<png_uint_32>(image.size.height);
    header.format = PNG_FORMAT_RGB;
    if (png_image_write_to_file(&header, path.c_str(), 0, image.rgb.data(), 0, nullptr)) return {};
    return io::Error{path, 0, std::string("cannot write: ") + header.message, io::Exit::unreadable};
}

} // namespace twang::demo
