// Milliseconds per stage and iterations per frame, gathered over a run, and what is told of them.
#ifndef TWANG_DEMO_TIMINGS_HPP
#define TWANG_DEMO_TIMINGS_HPP

#include <array>
#include <cstdint>
#include <vector>

#include <twang/twang.hpp>

namespace twang::demo {

// The rows of the tables: the stages in the order of the frame, then the frame as a whole.
inline constexpr std::array<const char*, 9> timing_names = {
    "admit", "push", "predict", "project", "solve", "accelerate", "collide", "commit", "frame"};

struct Spread {
    double median = 0.0;
    double p99 = 0.0; // 99 of 100 values are not above it
    double max = 0.0;
};

// Of no values at all: zeros.
Spread spread(std::vector<double> values);

class Timings {
public:
    void add(const Report& frame);

    std::size_t frames() const { return iterations_.size(); }
    Spread ms(std::size_t row) const { return spread(ms_[row]); } // row of timing_names
    Spread iterations() const { return spread(iterations_); }
    double mean_iterations() const;
    std::uint64_t total_iterations() const { return total_iterations_; }
    std::uint64_t inner_iterations() const { return inner_iterations_; }
    std::uint64_t rejected_steps() const { return rejected_steps_; }
    std::uint64_t projected_systems() const { return projected_systems_; }
    std::uint64_t converged_frames() const { return converged_frames_; }

private:
    std::array<std::vector<double>, timing_names.size()> ms_;
    std::vector<double> iterations_;
    std::uint64_t total_iterations_ = 0;
    std::uint64_t inner_iterations_ = 0;
    std::uint64_t rejected_steps_ = 0;
    std::uint64_t projected_systems_ = 0;
    std::uint64_t converged_frames_ = 0;
};

} // namespace twang::demo

#endif // TWANG_DEMO_TIMINGS_HPP
