// The table about cloth in contact.
#include "report/report.hpp"
#include "report/table.hpp"
#include "suites/contact.hpp"

namespace bench {

namespace {

void add_row(Table& table, const Results& results, const std::string& scene, const std::string& by,
             int iterations, const std::string& name) {
    const Entry* entry = results.find(name);
    if (!entry) return;
    std::vector<std::string> row{scene, by, std::to_string(iterations)};
    const auto counter = [&](const char* what, double unit = 1.0) {
        return brief(unit * results.counter(name, what));
    };
    if (entry->error.empty())
        row.insert(row.end(),
                   {brief(entry->ms), counter("air_ms"), counter("ratio"), counter("contacts"),
                    percent(results.counter(name, "max_stretch")), counter("max_penetration", 1e3),
                    counter("rest_mean"), counter("rest_fast")});
    else
        row.push_back(entry->error);
    row.resize(11);
    table.add(row);
}

} // namespace

std::string contact_tables(const Results& results) {
    Table table({"scene", "by", "iterations", "ms", "in the air", "ratio", "contacts",
                 "max stretch", "depth mm", "rest mm/s", "fastest"});
    for (const std::string& scene : contact_scenes()) {
        for (const int iterations : contact_iterations(scene))
            add_row(table, results, scene, "default", iterations, contact_name(scene, iterations));
        for (const int iterations : bullet_contact_iterations(scene))
            add_row(table, results, scene, "bullet", iterations,
                    bullet_contact_name(scene, iterations));
    }
    return section(
        "Cloth in contact",
        "One worker; median milliseconds of " + std::to_string(contact_frames) +
            " frames of cloth that falls on something and stays there, and of the same cloth in "
            "the air, taking turns in one run. The largest stretch of edges and the speeds of the "
            "last " +
            std::to_string(resting_frames) +
            " frames, where all could be at rest, are medians over " +
            std::to_string(contact_variants) +
            " starts some millimetres apart; most contacts and worst depth below a surface, of "
            "all.",
        table);
}

} // namespace bench
