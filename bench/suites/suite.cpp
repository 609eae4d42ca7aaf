// Runs groups of benchmarks and collects the results. See suite.hpp.
#include "suites/suite.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <regex>
#include <sstream>

namespace bench {

double median(std::vector<double> values) {
    if (values.empty()) return std::nan("");
    const auto middle = values.begin() + values.size() / 2;
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

const Entry* Results::find(const std::string& name) const {
    const auto found = entries_.find(name);
    return found == entries_.end() ? nullptr : &found->second;
}

double Results::ms(const std::string& name) const {
    const Entry* entry = find(name);
    return entry && entry->error.empty() ? entry->ms : std::nan("");
}

double Results::counter(const std::string& name, const std::string& counter) const {
    const Entry* entry = find(name);
    if (!entry || !entry->error.empty()) return std::nan("");
    const auto found = entry->counters.find(counter);
    return found == entry->counters.end() ? std::nan("") : found->second;
}

// Receives the runs of all groups, strips their names of Google Benchmark's suffixes, and appends
// them to one JSON text.
class Suite::Collector : public benchmark::BenchmarkReporter {
public:
    Collector() {
        json_.SetOutputStream(&text_);
        json_.SetErrorStream(&std::cerr);
    }
    bool ReportContext(const Context& context) override {
        if (text_.tellp() == 0) json_.ReportContext(context);
        return true;
    }
    void ReportRuns(const std::vector<Run>& runs) override {
        std::vector<Run> renamed = runs;
        for (Run& run : renamed) {
            benchmark::BenchmarkName base_name;
            base_name.function_name = run.run_name.function_name;
            run.run_name = base_name;
        }
        json_.ReportRuns(renamed);
        const auto chosen = std::find_if(renamed.begin(), renamed.end(), [](const Run& run) {
            return run.aggregate_name == "median";
        });
        keep(chosen == renamed.end() ? renamed.front() : *chosen);
    }
    std::string json() {
        json_.Finalize();
        // Removes the name of the machine.
        return std::regex_replace(text_.str(), std::regex("\n *\"host_name\": [^\n]*"), "");
    }
    Results results;

private:
    void keep(const Run& run) {
        Entry entry;
        entry.ms =
            1e3 * run.GetAdjustedRealTime() / benchmark::GetTimeUnitMultiplier(run.time_unit);
        for (const auto& [name, counter] : run.counters) entry.counters[name] = counter.value;
        if (run.error_occurred) entry.error = run.error_message;
        results.add(run.run_name.function_name, std::move(entry));
    }

    std::ostringstream text_;
    benchmark::JSONReporter json_;
};

Suite::Suite(const Options& options)
    : options_(options), collector_(std::make_unique<Collector>()) {
    // Google Benchmark keeps a pointer to the first flag.
    static std::vector<std::string> flags;
    flags = {"twang_bench", "--benchmark_enable_random_interleaving=true",
             options.quick ? "--benchmark_repetitions=3" : "--benchmark_repetitions=7",
             options.quick ? "--benchmark_min_time=0.02" : "--benchmark_min_time=0.1"};
    std::vector<char*> argv;
    for (std::string& flag : flags) argv.push_back(flag.data());
    int argc = static_cast<int>(argv.size());
    benchmark::Initialize(&argc, argv.data());
}

Suite::~Suite() { benchmark::Shutdown(); }

bool Suite::wants(const std::string& name) {
    if (!std::regex_search(name, std::regex(options_.filter))) return false;
    registered_.push_back(name);
    return true;
}

void Suite::add(const std::string& name, Function function) {
    if (!wants(name)) return;
    benchmark::RegisterBenchmark(name.c_str(), std::move(function))
        ->Unit(benchmark::kMillisecond)
        ->UseRealTime();
}

void Suite::add_manual(const std::string& name, int repeats, Function function) {
    if (!wants(name)) return;
    benchmark::RegisterBenchmark(name.c_str(), std::move(function))
        ->Unit(benchmark::kMillisecond)
        ->UseManualTime()
        ->Iterations(1)
        ->Repetitions(repeats);
}

bool Suite::run(const std::vector<Group>& groups) {
    std::vector<const Group*> wanted;
    for (const Group& group : groups) {
        registered_.clear();
        group.add(*this);
        benchmark::ClearRegisteredBenchmarks();
        if (!registered_.empty()) wanted.push_back(&group);
        if (options_.list)
            for (const std::string& name : registered_) std::puts(name.c_str());
    }
    if (options_.list || wanted.empty()) return !wanted.empty();

    const auto begin = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
        std::fprintf(stderr, "[%zu of %zu, %.0f s] %s\n", i + 1, wanted.size(), passed.count(),
                     wanted[i]->name.c_str());
        wanted[i]->add(*this);
        benchmark::RunSpecifiedBenchmarks(collector_.get(), "all");
        benchmark::ClearRegisteredBenchmarks();
    }
    return true;
}

const Results& Suite::results() const { return collector_->results; }

void Suite::note(const std::string& key, const std::string& value) {
    benchmark::AddCustomContext(key, value);
}

void Suite::write_json(const std::string& path) const { std::ofstream(path) << collector_->json(); }

} // namespace bench
