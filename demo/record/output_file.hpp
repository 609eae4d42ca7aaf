// A text file for writing, or standard output under the name "-". After the first failure (such as
// a full disk) later writes are skipped, and close() returns that failure.
#ifndef TWANG_DEMO_OUTPUT_FILE_HPP
#define TWANG_DEMO_OUTPUT_FILE_HPP

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <twang/io.hpp>

namespace twang::demo {

class OutputFile {
public:
    static io::Result<OutputFile> open(const std::string& path);

    bool write(std::string_view text); // false: this or an earlier write failed
    std::optional<io::Error> close();  // flushes; returns the first failure, if any

private:
    struct Closer {
        void operator()(std::FILE* file) const;
    };
    OutputFile(std::string path, std::FILE* file) : path_(std::move(path)), file_(file) {}

    std::string path_;
    std::unique_ptr<std::FILE, Closer> file_;
    int error_ = 0; // errno of the first failure
};

} // namespace twang::demo

#endif // TWANG_DEMO_OUTPUT_FILE_HPP
