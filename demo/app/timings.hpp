// Milliseconds per stage and iterations per frame, collected over a run, and their statistics:
// median, 99th percentile, maximum, mean and total.
#ifndef TWANG_DEMO_TIMINGS_HPP
#define TWANG_DEMO_TIMINGS_HPP

#include <array>
#include <cstdint>
#include <vector>

#include <twang/twang.hpp>

namespace twang::demo {

// The rows of the tables: the stages in their order within the frame, then the whole frame.
inline constexpr std::array<const char*, 9> timing_names = {
    "apply_changes", "external_forces", "predict", "local_step", "global_step",
    "accelerate",    "contact",         "commit",  "frame"};

struct Quantiles {
    double median = 0.0;
    double p99 = 0.0; // 99th percentile by nearest rank: 99 of 100 values are at most p99
    double max = 0.0;
};

// Computes the quantiles of the values; all zeros for an empty list.
Quantiles quantiles(std::vector<double> values);

class Timings {
public:
    void add(const Report& frame);

    std::size_t frames() const { return iterations_.size(); }
    // row: index in timing_names.
    Quantiles ms(std::size_t row) const { return quantiles(ms_[row]); }
    Quantiles iterations() const { return quantiles(iterations_); }
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
