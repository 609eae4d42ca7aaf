// Fork and join: every index once, borders on the grain, also after the workers fell asleep, and
// sums that do not depend on who did them.
#include "jobs.hpp"

#include <atomic>
#include <chrono>
#include <thread>

#include "objective.hpp"
#include "scenes.hpp"

namespace twang::test {
namespace {

constexpr std::array worker_counts{1, 2, 3, 4, 8};

TEST(Jobs, CoverEveryIndexOnceOnTheGrain) {
    for (const int workers : worker_counts) {
        core::Jobs jobs(workers);
        for (const std::size_t count : {0u, 1u, 511u, 2047u, 2048u, 2049u, 10'001u, 100'000u})
            for (const std::size_t grain : {1u, 7u, 512u, 4096u}) {
                std::vector<unsigned char> visits(count, 0);
                std::atomic<int> calls{0}, off_grain{0};
                jobs.ranges(count, grain, [&](std::size_t begin, std::size_t end) {
                    ++calls;
                    off_grain +=
                        begin >= end || begin % grain != 0 || (end % grain != 0 && end != count);
                    for (std::size_t i = begin; i < end; ++i) ++visits[i];
                });
                EXPECT_EQ(off_grain, 0);
                EXPECT_LE(calls, workers);
                EXPECT_EQ(std::count(visits.begin(), visits.end(), 1),
                          static_cast<std::ptrdiff_t>(count))
                    << workers << ' ' << count << ' ' << grain;
            }
    }
}

TEST(Jobs, ShareLargeCountsBetweenThreads) {
    core::Jobs jobs(4);
    std::vector<std::thread::id> ran(100'000);
    jobs.ranges(ran.size(), 512, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) ran[i] = std::this_thread::get_id();
    });
    std::sort(ran.begin(), ran.end());
    EXPECT_EQ(std::unique(ran.begin(), ran.end()) - ran.begin(), 4);
}

TEST(Jobs, SmallCountsStayWithTheCaller) {
    core::Jobs jobs(4);
    std::thread::id ran;
    jobs.ranges(1500, 512, [&](std::size_t, std::size_t) { ran = std::this_thread::get_id(); });
    EXPECT_EQ(ran, std::this_thread::get_id());
}

// Region after region, each seeing all that the one before wrote.
TEST(Jobs, EachRegionSeesTheLast) {
    core::Jobs jobs(3);
    std::vector<int> values(4096, 0);
    constexpr int regions = 2000;
    for (int region = 0; region < regions; ++region) {
        if (region == regions / 2) // long enough for the workers to fall asleep
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
        jobs.ranges(values.size(), 1, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) values[i] = values[i] + 1;
        });
        std::rotate(values.begin(), values.begin() + 1, values.end());
    }
    EXPECT_EQ(std::count(values.begin(), values.end(), regions), 4096);
}

TEST(Jobs, WorkerCountsAreBounded) {
    EXPECT_EQ(core::Jobs(0).workers(), 1);
    EXPECT_EQ(core::Jobs(-5).workers(), 1);
    EXPECT_EQ(core::Jobs(3).workers(), 3);
    EXPECT_GE(core::Jobs(TWANG_ALL_CORES).workers(), 1);
    EXPECT_LE(core::Jobs(TWANG_ALL_CORES).workers(), TWANG_MAX_WORKERS);
}

TEST(Jobs, StartAndStopWithoutWork) {
    for (int i = 0; i < 50; ++i) core::Jobs jobs(4);
}

TEST(BlockSum, HasTheSameBitsForAnyWorkers) {
    Random random(1);
    std::vector<double> values(50'000);
    for (double& v : values) v = random.uniform(-1.0, 1.0) * random.log_uniform(1e-8, 1e8);
    const long double exact = std::accumulate(values.begin(), values.end(), 0.0L);
    double first = 0.0;
    for (const int workers : worker_counts) {
        core::Jobs jobs(workers);
        core::BlockSum sum(values.size());
        const double total = sum(jobs, values.size(), [&](std::size_t i) { return values[i]; });
        EXPECT_NEAR(total, static_cast<double>(exact), 1e-3);
        if (workers == 1) first = total;
        EXPECT_EQ(total, first) << workers;
    }
}

TEST(BlockSum, CountsWhatIsNotAWholeBlock) {
    core::Jobs jobs(2);
    for (const std::size_t count : {0u, 1u, 511u, 512u, 513u, 5000u}) {
        core::BlockSum sum(count);
        EXPECT_EQ(sum(jobs, count, [](std::size_t) { return 1.0; }), static_cast<double>(count));
    }
}

} // namespace
} // namespace twang::test
