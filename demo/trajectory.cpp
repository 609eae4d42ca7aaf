#include "trajectory.hpp"

#include <charconv>

namespace twang::demo {

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
        char row[128]; // 11 + 20 digits for the indices, 24 for each double, and separators
        char* const end = row + sizeof row;
        char* at = std::to_chars(row, end, frame).ptr;
        *at++ = ',';
        at = std::to_chars(at, end, vertex).ptr;
        for (const double coordinate : xyz.subspan(3 * vertex, 3)) {
            *at++ = ',';
            at = std::to_chars(at, end, coordinate).ptr;
        }
        *at++ = '\n';
        rows_.append(row, at);
    }
    return file_.write(rows_);
}

} // namespace twang::demo
