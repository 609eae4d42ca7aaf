// Runs groups of benchmarks by Google Benchmark and keeps the results: one entry per name, the
// median of the repeats, and everything as Google Benchmark's JSON. Repeats of a group are
// interleaved at random, so that a disturbance affects all of its benchmarks.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "suites/options.hpp"

namespace bench {

struct Entry {
    double ms = 0.0;
    std::map<std::string, double> counters;
    std::string error; // why there is no time; empty: there is one
};

class Results {
public:
    void add(const std::string& name, Entry entry) { entries_[name] = std::move(entry); }
    const std::map<std::string, Entry>& all() const { return entries_; }
    const Entry* find(const std::string& name) const; // null: not measured
    // Return NaN if there is no such number.
    double ms(const std::string& name) const;
    double counter(const std::string& name, const std::string& counter) const;

private:
    std::map<std::string, Entry> entries_;
};

class Suite;

// Benchmarks that are measured together. `add` only registers them; their data is made when the
// first of them runs.
struct Group {
    std::string name;
    std::function<void(Suite&)> add;
};

class Suite {
public:
    explicit Suite(const Options& options);
    ~Suite();

    using Function = std::function<void(benchmark::State&)>;
    // Registers a loop that Google Benchmark times, or `repeats` runs that report their own time in
    // seconds by SetIterationTime. Names that the filter excludes are not registered.
    void add(const std::string& name, Function function);
    void add_manual(const std::string& name, int repeats, Function function);

    // Measures all groups, or prints the names if the options ask for a list. Returns false if the
    // filter excludes everything.
    bool run(const std::vector<Group>& groups);
    const Results& results() const;
    // Adds a fact about the run to the JSON. Called before the first run.
    static void note(const std::string& key, const std::string& value);
    void write_json(const std::string& path) const;

private:
    class Collector;
    bool wants(const std::string& name);

    const Options& options_;
    std::vector<std::string> registered_;
    std::unique_ptr<Collector> collector_;
};

// A value made at its first use.
template <class T>
class Lazy {
public:
    explicit Lazy(std::function<T()> make) : make_(std::move(make)) {}
    T& get() {
        if (!value_) value_.reset(new T(make_())); // made in place: T need not move
        return *value_;
    }

private:
    std::function<T()> make_;
    std::unique_ptr<T> value_;
};

double median(std::vector<double> values); // NaN for none

} // namespace bench
