// The figures of a run as JSON, for programs. A number that is not finite becomes null.
#ifndef TWANG_DEMO_REPORT_HPP
#define TWANG_DEMO_REPORT_HPP

#include <string>

#include "app/record.hpp"

namespace twang::demo {

std::string report_json(const io::Scene& scene, const Record& record);

// Frames in which a solver that should converge, Newton's method, used up its iterations. With
// tolerance 0, or with another solver, none counts.
std::uint64_t unconverged_frames(const io::Scene& scene, const Record& record);

// Formats the state hash as 16 hexadecimal digits, for reports and summaries.
std::string hash_text(const Record& record);

} // namespace twang::demo

#endif // TWANG_DEMO_REPORT_HPP
