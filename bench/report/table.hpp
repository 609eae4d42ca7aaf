// A Markdown table whose columns line up in a terminal as well.
#pragma once

#include <string>
#include <vector>

namespace bench {

class Table {
public:
    explicit Table(std::vector<std::string> header) : rows_{std::move(header)} {}
    void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
    bool empty() const { return rows_.size() < 2; }
    std::string text() const; // "" when empty

private:
    std::vector<std::vector<std::string>> rows_; // all of the same length; the first is the header
};

// Returns a heading, a note and a table; "" if the table is empty.
std::string section(const std::string& title, const std::string& note, const Table& table);

// Returns three significant digits; "" for NaN.
std::string brief(double value);
std::string times(double ratio); // "12.3x"
std::string percent(double share);

} // namespace bench
