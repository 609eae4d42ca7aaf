// The figures of a run in a few lines for people.
#ifndef TWANG_DEMO_SUMMARY_HPP
#define TWANG_DEMO_SUMMARY_HPP

#include <cstdio>

#include "record.hpp"

namespace twang::demo {

void print_summary(std::FILE* out, const io::Scene& scene, const Record& record);

} // namespace twang::demo

#endif // TWANG_DEMO_SUMMARY_HPP
