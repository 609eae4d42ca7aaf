#include "app/trajectory.hpp"

#include <charconv>

namespace twang::demo {
namespace {

template <class Number>
void append(std::string& text, Number number) {
    char digits[32]; // the longest double has 24 characters
    text.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

} // namespace

io::Result<Trajectory> Trajectory::open(const std::string& path) {
    io::Result<OutputFile> file = OutputFile::open(path);
    if (!file) return file.error();
    Trajectory trajectory(std::move(*file));
    trajectory.file_.write("frame,vertex,x,y,z\n");
    return trajectory;
}

bool Trajectory::write(int frame, std::span<const double> xyz) {
    rows_.clear();
    for (std::size_t vertex = 0; 3 * vertex + 2 < xyz.size(); ++vertex) {
        append(rows_, frame);
        rows_ += ',';
        append(rows_, vertex);
        for (const double coordinate : xyz.subspan(3 * vertex, 3)) {
            rows_ += ',';
            append(rows_, coordinate);
        }
        rows_ += '\n';
    }
    return file_.write(rows_);
}

} // namespace twang::demo
