// Positions over time as CSV: frame,vertex,x,y,z, each number in the fewest digits that read back
// as the same double.
#ifndef TWANG_DEMO_TRAJECTORY_HPP
#define TWANG_DEMO_TRAJECTORY_HPP

#include <optional>
#include <span>
#include <string>

#include "output_file.hpp"

namespace twang::demo {

class Trajectory {
public:
    static io::Result<Trajectory> open(const std::string& path); // and writes the header

    bool write(int frame, std::span<const double> xyz); // false: the file cannot be written
    std::optional<io::Error> close() { return file_.close(); }

private:
    explicit Trajectory(OutputFile file) : file_(std::move(file)) {}

    OutputFile file_;
    std::string rows_; // of one frame
};

} // namespace twang::demo

#endif // TWANG_DEMO_TRAJECTORY_HPP
