// Tables people can read, made from the results: for the terminal and for report.md.
#pragma once

#include <string>
#include <vector>

#include "report/goals.hpp"
#include "report/plots.hpp"
#include "suites/suite.hpp"
#include "suites/workloads.hpp"

namespace bench {

// Processor, caches, compiler, date: one line each.
std::string machine_text();
std::string compiler();

// What was measured, table by table, as Markdown with aligned columns.
std::string tables(const Results& results, const std::vector<Workload>& workloads);
// Of those, the ones about how falling cloth moves.
std::string motion_tables(const Results& results);
// Of those, the one about cloth that lies on something.
std::string contact_tables(const Results& results);
// complaint: why nothing is judged; empty: all is.
std::string goal_table(const std::vector<Goal>& goals, const std::string& complaint);

} // namespace bench
