// Tables made from the results, for the terminal and for report.md. The folder report/ owns goals,
// tables and plots. It reads results by their names and measures nothing.
#pragma once

#include <string>
#include <vector>

#include "report/goals.hpp"
#include "report/plots.hpp"
#include "suites/suite.hpp"
#include "suites/workloads.hpp"

namespace bench {

// Returns processor, caches, compiler and date as a list.
std::string machine_text();
std::string compiler();

// Returns all measurements, table by table, as Markdown with aligned columns.
std::string tables(const Results& results, const std::vector<Workload>& workloads);
// Returns the tables about the motion of falling cloth.
std::string motion_tables(const Results& results);
// Returns the table about cloth in contact.
std::string contact_tables(const Results& results);
// complaint: why times are not judged; empty: they are.
std::string goal_table(const std::vector<Goal>& goals, const std::string& complaint);

} // namespace bench
