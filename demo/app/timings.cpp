#include "app/timings.hpp"

#include <algorithm>

namespace twang::demo {

Quantiles quantiles(std::vector<double> values) {
    if (values.empty()) return {};
    std::sort(values.begin(), values.end());
    const std::size_t count = values.size();
    const std::size_t rank = count - count / 100; // nearest rank: ceil(0.99 count)
    return {.median = 0.5 * (values[(count - 1) / 2] + values[count / 2]),
            .p99 = values[rank - 1],
            .max = values.back()};
}

void Timings::add(const Report& frame) {
    const twang_stage_ms& ms = frame.ms;
    const std::array row = {ms.apply_changes, ms.external_forces, ms.predict,
                            ms.local_step,    ms.global_step,     ms.accelerate,
                            ms.contact,       ms.commit,          frame.total_ms};
    static_assert(row.size() == timing_names.size());
    for (std::size_t i = 0; i < row.size(); ++i) ms_[i].push_back(row[i]);
    iterations_.push_back(frame.iterations);
    total_iterations_ += static_cast<std::uint64_t>(frame.iterations);
    inner_iterations_ += static_cast<std::uint64_t>(frame.inner_iterations);
    rejected_steps_ += static_cast<std::uint64_t>(frame.rejected_steps);
    projected_systems_ += static_cast<std::uint64_t>(frame.projected_systems);
    converged_frames_ += frame.converged != 0;
}

double Timings::mean_iterations() const {
    return frames() ? static_cast<double>(total_iterations_) / static_cast<double>(frames()) : 0.0;
}

} // namespace twang::demo
