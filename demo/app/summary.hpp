// The figures of a run as a few lines of text, for people.
#ifndef TWANG_DEMO_SUMMARY_HPP
#define TWANG_DEMO_SUMMARY_HPP

#include <cstdio>

#include "app/record.hpp"

namespace twang::demo {

void print_summary(std::FILE* out, const io::Scene& scene, const Record& record);

} // namespace twang::demo

#endif // TWANG_DEMO_SUMMARY_HPP
