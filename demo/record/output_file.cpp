#include "record/output_file.hpp"

#include <cerrno>
#include <system_error>

namespace twang::demo {
namespace {

constexpr std::size_t buffer_bytes = 1 << 20;

io::Error write_error(const std::string& path, int code) {
    return {path == "-" ? "standard output" : path, 0,
            "cannot write: " + std::generic_category().message(code), io::Exit::unreadable};
}

} // namespace

void OutputFile::Closer::operator()(std::FILE* file) const {
    if (file != stdout) std::fclose(file);
}

io::Result<OutputFile> OutputFile::open(const std::string& path) {
    if (path == "-") return OutputFile(path, stdout);
    errno = 0;
    std::FILE* file = std::fopen(path.c_str(), "wb");
    if (!file) return write_error(path, errno);
    std::setvbuf(file, nullptr, _IOFBF, buffer_bytes);
    return OutputFile(path, file);
}

bool OutputFile::write(std::string_view text) {
    errno = 0;
    if (!error_ && std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size()) {
        error_ = errno ? errno : EIO;
    }
    return !error_;
}

std::optional<io::Error> OutputFile::close() {
    errno = 0;
    if (std::fflush(file_.get()) != 0 && !error_) error_ = errno ? errno : EIO;
    std::FILE* file = file_.release();
    errno = 0;
    if (file != stdout && std::fclose(file) != 0 && !error_) error_ = errno ? errno : EIO;
    if (error_) return write_error(path_, error_);
    return {};
}

} // namespace twang::demo
