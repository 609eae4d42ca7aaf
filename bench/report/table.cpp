// Markdown tables with aligned columns, and the formats of numbers. See table.hpp.
#include "report/table.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace bench {

namespace {

std::string format(const char* pattern, double value) {
    if (!std::isfinite(value)) return "";
    char text[40];
    std::snprintf(text, sizeof text, pattern, value);
    return text;
}

} // namespace

std::string Table::text() const {
    if (empty()) return "";
    std::vector<std::size_t> widths(rows_[0].size(), 3);
    std::vector<char> is_number(rows_[0].size(), 1); // numbers are aligned to the right
    for (const auto& row : rows_)
        for (std::size_t c = 0; c < row.size(); ++c) {
            widths[c] = std::max(widths[c], row[c].size());
            if (&row != &rows_[0] && row[c].find_first_of("0123456789-") > 0 && !row[c].empty())
                is_number[c] = 0;
        }
    std::string text;
    for (std::size_t r = 0; r < rows_.size(); ++r) {
        for (std::size_t c = 0; c < rows_[r].size(); ++c) {
            const std::string blanks(widths[c] - rows_[r][c].size(), ' ');
            text += is_number[c] ? "| " + blanks + rows_[r][c] : "| " + rows_[r][c] + blanks;
            text += ' ';
        }
        text += "|\n";
        if (r > 0) continue;
        for (std::size_t c = 0; c < widths.size(); ++c)
            text += '|' + std::string(widths[c] + 1, '-') + (is_number[c] ? ':' : '-');
        text += "|\n";
    }
    return text;
}

std::string section(const std::string& title, const std::string& note, const Table& table) {
    return table.empty() ? "" : "\n## " + title + "\n" + note + "\n\n" + table.text();
}

std::string brief(double value) {
    if (value >= 1000.0) return format("%.0f", value);
    return format("%.3g", value);
}
std::string times(double ratio) { return format(ratio < 9.95 ? "%.2fx" : "%.0fx", ratio); }
std::string percent(double share) { return format("%.1f %%", 100.0 * share); }

} // namespace bench
