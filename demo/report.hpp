// The figures of a run as JSON, for programs to read. A number that is not finite becomes null.
#ifndef TWANG_DEMO_REPORT_HPP
#define TWANG_DEMO_REPORT_HPP

#include <string>

#include "record.hpp"

namespace twang::demo {

std::string report_json(const io::Scene& scene, const Record& record);

// The state hash as reports and summaries show it: 16 hexadecimal digits.
std::string hash_text(const Record& record);

} // namespace twang::demo

#endif // TWANG_DEMO_REPORT_HPP
