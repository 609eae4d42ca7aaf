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

// What a judgement needs. A spread is the middle half of the repeats against their median.
constexpr double most_spread = 0.15;
constexpr double least_scaling = 1.7;
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

// GB/s of reading a buffer until 256 MB have gone by, and how much that varies.
Sample bandwidth(std::size_t bytes) {
    constexpr std::size_t all = std::size_t{256} << 20;
    const std::unique_ptr<void, void (*)(void*)> buffer(std::aligned_alloc(64, bytes), std::free);
    if (!buffer) return {std::nan(""), 0.0};
    std::fill_n(static_cast<char*>(buffer.get()), bytes, 1);
    const Sample time = sample([&] {
        for (std::size_t done = 0; done < all; done += bytes)
            benchmark::DoNotOptimize(read_all(buffer.get(), bytes));
    });
    return {all / time.median * 1e-9, time.spread};
}

// About ten milliseconds of arithmetic that no cache or memory matters to.
void count() {
    double sum = 0.0;
    for (int i = 1; i < 4'000'000; ++i) sum += 1.0 / i;
    benchmark::DoNotOptimize(sum);
}

double two_core_scaling() {
    const double one = sample(count).median;
    const double two = sample([] {
                           std::thread other(count);
                           count();
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
    if (const double spread = std::max(cache_spread, memory_spread); spread > most_spread)
        std::snprintf(text, sizeof text,
                      "repeats of the same reading differ by %.0f %% (limit %.0f %%)",
                      100.0 * spread, 100.0 * most_spread);
    else if (scaling < least_scaling)
        std::snprintf(text, sizeof text,
                      "two cores do only %.2f times the work of one (limit %.1f)", scaling,
                      least_scaling);
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
