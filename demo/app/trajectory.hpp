// Positions of all vertices over time as CSV: frame,vertex,x,y,z, in metres. Each number has the
// fewest digits that parse to the same double.
#ifndef TWANG_DEMO_TRAJECTORY_HPP
#define TWANG_DEMO_TRAJECTORY_HPP

#include <optional>
#include <span>
#include <string>

#include "record/output_file.hpp"

namespace twang::demo {

class Trajectory {
public:
    static io::Result<Trajectory> open(const std::string& path); // writes the header

    bool write(int frame, std::span<const double> xyz); // false: a write failed
    std::optional<io::Error> close() { return file_.close(); }

private:
    explicit Trajectory(OutputFile file) : file_(std::move(file)) {}

    OutputFile file_;
    std::string rows_; // buffer for the rows of one frame
};

} // namespace twang::demo

#endif // TWANG_DEMO_TRAJECTORY_HPP
