// Measures bandwidth, spread and two-core scaling of the machine. See calibration.hpp.
#include "suites/calibration.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <thread>

#include <benchmark/benchmark.h>

#include "suites/stream.hpp"

namespace bench {

namespace {

// Limits of a quiet machine. A spread is the interquartile range of the repeats / their median.
constexpr double max_spread = 0.15;
constexpr double min_scaling = 1.7;
constexpr int repeats = 15;

double seconds(const std::function<void()>& work) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

struct Sample {
    double median, spread;
};

Sample sample(const std::function<void()>& work) {
    std::vector<double> times(repeats);
    for (double& time : times) time = seconds(work);
    std::sort(times.begin(), times.end());
    const double middle = times[repeats / 2];
    return {middle, (times[3 * repeats / 4] - times[repeats / 4]) / middle};
}

// Returns GB/s of reading a buffer, 256 MB in all, and the spread.
Sample bandwidth(std::size_t bytes) {
    constexpr std::size_t total_bytes = std::size_t{256} << 20;
    const std::unique_ptr<void, void (*)(void*)> buffer(std::aligned_alloc(64, bytes), std::free);
    if (!buffer) return {std::nan(""), 0.0};
    std::fill_n(static_cast<char*>(buffer.get()), bytes, 1);
    const Sample time = sample([&] {
        for (std::size_t done = 0; done < total_bytes; done += bytes)
            benchmark::DoNotOptimize(read_all(buffer.get(), bytes));
    });
    return {total_bytes / time.median * 1e-9, time.spread};
}

// About ten milliseconds of arithmetic without memory traffic.
void do_arithmetic() {
    double sum = 0.0;
    for (int i = 1; i < 4'000'000; ++i) sum += 1.0 / i;
    benchmark::DoNotOptimize(sum);
}

double two_core_scaling() {
    const double one = sample(do_arithmetic).median;
    const double two = sample([] {
                           std::thread other(do_arithmetic);
                           do_arithmetic();
                           other.join();
                       }).median;
    return 2.0 * one / two;
}

} // namespace

Calibration calibrate() {
    const Sample cache = bandwidth(std::size_t{4} << 20), memory = bandwidth(std::size_t{64} << 20);
    return {cache.median, cache.spread, memory.median, memory.spread, two_core_scaling()};
}

std::string Calibration::complaint() const {
    char text[160] = "";
    if (const double spread = std::max(cache_spread, memory_spread); spread > max_spread)
        std::snprintf(text, sizeof text,
                      "repeats of the same reading differ by %.0f %% (limit %.0f %%)",
                      100.0 * spread, 100.0 * max_spread);
    else if (scaling < min_scaling)
        std::snprintf(text, sizeof text,
                      "two cores do only %.2f times the work of one (limit %.1f)", scaling,
                      min_scaling);
    return text;
}

std::string Calibration::text() const {
    char text[200];
    std::snprintf(
        text, sizeof text,
        "reads %.1f GB/s from 4 MB (spread %.0f %%), %.1f GB/s from 64 MB (spread %.0f %%); "
        "two cores do %.2f times the work of one",
        cache_gbs, 100.0 * cache_spread, memory_gbs, 100.0 * memory_spread, scaling);
    return text;
}

} // namespace bench
