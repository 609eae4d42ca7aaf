// Fork and join: every index once, borders on the grain, also after the workers fell asleep,
// whoever comes, late or never, and sums that do not depend on who did them.
#include "base/jobs.hpp"

#include <atomic>
#include <chrono>
#include <functional>
#include <set>
#include <thread>

#if defined(__linux__)
#include <csignal>

#include <pthread.h>
#endif

#include "api_support.hpp"
#include "scenes.hpp"
#include "solver/objective.hpp"

namespace twang::test {
namespace {

using namespace std::chrono_literals;

constexpr std::array worker_counts{1, 2, 3, 4, 8};

// Waits until it is so, at most ten seconds.
bool comes(const std::function<bool()>& so) {
    for (int k = 0; k < 10'000 && !so(); ++k) std::this_thread::sleep_for(1ms);
    return so();
}

// Threads that keep cores busy.
struct BusyLoops {
    std::atomic<bool> stopping{false};
    std::vector<std::thread> threads;
    explicit BusyLoops(int count) {
        for (int k = 0; k < count; ++k)
            threads.emplace_back([this] {
                while (!stopping.load(std::memory_order_relaxed)) {
                }
            });
    }
    ~BusyLoops() {
        stopping = true;
        for (std::thread& thread : threads) thread.join();
    }
};

TEST(Jobs, CoverEveryIndexOnceOnTheGrain) {
    for (const int workers : worker_counts) {
        core::Jobs jobs(workers);
        const std::size_t most = workers == 1 ? 1 : core::Jobs::blocks_per_worker * workers;
        for (const std::size_t count : {0u, 1u, 511u, 2047u, 2048u, 2049u, 10'001u, 100'000u})
            for (const std::size_t grain : {1u, 7u, 512u, 4096u}) {
                std::vector<unsigned char> visits(count, 0);
                std::atomic<std::size_t> calls{0}, off_grain{0};
                jobs.ranges(count, grain, [&](std::size_t begin, std::size_t end) {
                    ++calls;
                    off_grain +=
                        begin >= end || begin % grain != 0 || (end % grain != 0 && end != count);
                    for (std::size_t i = begin; i < end; ++i) ++visits[i];
                });
                EXPECT_EQ(off_grain, 0u);
                EXPECT_LE(calls, most);
                EXPECT_EQ(std::count(visits.begin(), visits.end(), 1),
                          static_cast<std::ptrdiff_t>(count))
                    << workers << ' ' << count << ' ' << grain;
            }
    }
}

// Blocks that wait for each other: all four have to come, awake or asleep.
TEST(Jobs, ShareLargeCountsBetweenThreads) {
    for (const bool asleep : {false, true})
        for (const bool in_tasks : {false, true}) {
            core::Jobs jobs(4);
            std::atomic<int> here{0};
            const auto meet = [&] {
                ++here;
                EXPECT_TRUE(comes([&] { return here >= 4; })) << asleep << in_tasks;
            };
            if (asleep) std::this_thread::sleep_for(100ms);
            if (in_tasks) {
                jobs.tasks(4, [&](std::size_t) { meet(); });
                continue;
            }
            // The caller calls sleepers when it knows from the first block what the region takes.
            jobs.ranges(5, 1, [&](std::size_t begin, std::size_t) {
                if (begin > 0)
                    meet();
                else
                    std::this_thread::sleep_for(1ms);
            });
        }
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

// Every block once, whatever the size of a region and however few cores there are for the workers.
TEST(Jobs, DoEveryBlockOnceOnABusyMachine) {
    const int regions = api::sanitized ? 500 : 4000;
    const BusyLoops busy(static_cast<int>(std::thread::hardware_concurrency()));
    for (int workers = 1; workers <= 8; ++workers) {
        core::Jobs jobs(workers);
        Random random(workers);
        std::vector<int> visits(600);
        std::vector<int> expected(visits.size(), 0);
        for (int region = 0; region < regions; ++region) {
            const auto count = static_cast<std::size_t>(random.uniform(0.0, 600.0));
            const auto grain = static_cast<std::size_t>(random.uniform(1.0, 9.0));
            const auto visit = [&](std::size_t begin, std::size_t end) {
                for (std::size_t i = begin; i < end; ++i) ++visits[i];
            };
            if (region % 3 == 0)
                jobs.tasks(count, [&](std::size_t task) { visit(task, task + 1); });
            else
                jobs.ranges(count, grain, visit);
            for (std::size_t i = 0; i < count; ++i) ++expected[i];
            ASSERT_EQ(visits, expected) << workers << ' ' << region;
        }
    }
}

TEST(Jobs, HaveMoreTasksThanBlocks) {
    core::Jobs jobs(3);
    std::vector<unsigned char> visits((1 << 20) + 77, 0);
    jobs.tasks(visits.size(), [&](std::size_t task) { ++visits[task]; });
    EXPECT_EQ(std::count(visits.begin(), visits.end(), 1),
              static_cast<std::ptrdiff_t>(visits.size()));
}

// A region inside a region stays on the thread of its block.
TEST(Jobs, DoRegionsInsideRegionsInOneGo) {
    core::Jobs jobs(4);
    for (int repeat = 0; repeat < 200; ++repeat) {
        std::vector<int> visits(64 * 100, 0);
        std::atomic<int> elsewhere{0};
        jobs.tasks(64, [&](std::size_t outer) {
            const auto own = std::this_thread::get_id();
            const auto visit = [&](std::size_t i) {
                ++visits[outer * 100 + i];
                elsewhere += std::this_thread::get_id() != own;
            };
            jobs.ranges(50, 1, [&](std::size_t begin, std::size_t end) {
                for (std::size_t i = begin; i < end; ++i) visit(i);
            });
            jobs.tasks(50, [&](std::size_t i) { visit(50 + i); });
        });
        ASSERT_EQ(std::count(visits.begin(), visits.end(), 1), 64 * 100);
        ASSERT_EQ(elsewhere, 0);
    }
}

#if defined(__linux__)
std::atomic<bool> held_back{false}, let_go{false};

// A worker that the system has put aside between regions is not waited for, comes back, and has
// missed nothing that it would now do again.
TEST(Jobs, AWorkerThatIsPutAsideDelaysNoRegion) {
    if (api::sanitized) GTEST_SKIP() << "sanitizers put off signals";
    core::Jobs jobs(2);
    const auto caller = pthread_self();
    std::atomic<bool> known{false};
    pthread_t worker{};
    jobs.tasks(2, [&](std::size_t) {
        if (pthread_equal(pthread_self(), caller)) {
            EXPECT_TRUE(comes([&] { return known.load(); }));
        } else {
            worker = pthread_self();
            known = true;
        }
    });
    ASSERT_TRUE(known);
    for (const bool asleep : {false, true}) {
        held_back = let_go = false;
        struct sigaction action {
        }, before{};
        action.sa_handler = [](int) {
            held_back = true;
            while (!let_go) {
                const timespec moment{0, 1'000'000};
                nanosleep(&moment, nullptr);
            }
            held_back = false;
        };
        ASSERT_EQ(sigaction(SIGUSR1, &action, &before), 0);
        jobs.tasks(2, [](std::size_t) {});
        if (asleep) std::this_thread::sleep_for(100ms);
        pthread_kill(worker, SIGUSR1);
        EXPECT_TRUE(comes([] { return held_back.load(); }));
        std::vector<int> visits(1000, 0);
        for (int region = 0; region < 1000; ++region) {
            jobs.tasks(10, [&](std::size_t task) { ++visits[task]; });
            jobs.ranges(1000, 1, [&](std::size_t begin, std::size_t end) {
                for (std::size_t i = begin; i < end; ++i) ++visits[i];
            });
        }
        EXPECT_FALSE(let_go) << "all regions have ended without the worker";
        let_go = true;
        for (int region = 0; region < 1000; ++region)
            jobs.ranges(1000, 1, [&](std::size_t begin, std::size_t end) {
                for (std::size_t i = begin; i < end; ++i) ++visits[i];
            });
        ASSERT_TRUE(comes([] { return !held_back.load(); }));
        sigaction(SIGUSR1, &before, nullptr);
        EXPECT_EQ(std::count(visits.begin(), visits.begin() + 10, 3000), 10);
        EXPECT_EQ(std::count(visits.begin() + 10, visits.end(), 2000), 990);
    }
}
#endif

// A host that runs some of its jobs, some time.
class SlowHost {
public:
    twang_job_system system() {
        return {[](void* user, twang_job job, void* data, std::int32_t count) -> void* {
                    auto& host = *static_cast<SlowHost*>(user);
                    const std::size_t ticket = ++host.tickets;
                    for (std::int32_t index = 0; index < count; ++index)
                        host.waiting.push_back({ticket, [=] { job(data, index); }});
                    return reinterpret_cast<void*>(ticket);
                },
                [](void* user, void* ticket) {
                    auto& host = *static_cast<SlowHost*>(user);
                    EXPECT_TRUE(host.waited.insert(ticket).second) << "once";
                    std::erase_if(host.waiting, [&](const Waiting& w) {
                        if (w.ticket != reinterpret_cast<std::size_t>(ticket)) return false;
                        w.run();
                        ++host.run_in_wait;
                        return true;
                    });
                },
                this};
    }
    void run(std::size_t count) { // the last first
        for (; count > 0 && !waiting.empty(); --count) {
            const auto job = waiting.back().run;
            waiting.pop_back();
            job();
        }
    }
    struct Waiting {
        std::size_t ticket;
        std::function<void()> run;
    };
    std::vector<Waiting> waiting;
    std::set<void*> waited;
    std::size_t tickets = 0, run_in_wait = 0;
};

TEST(Jobs, AHostThatRunsNothingDelaysNoRegion) {
    SlowHost host;
    {
        core::Jobs jobs(4, host.system());
        std::vector<int> visits(1000, 0);
        for (int region = 0; region < 100; ++region)
            jobs.tasks(visits.size(), [&](std::size_t task) { ++visits[task]; });
        EXPECT_EQ(std::count(visits.begin(), visits.end(), 100), 1000);
        EXPECT_EQ(host.waiting.size(), 3u) << "no more jobs than helpers";
        EXPECT_EQ(host.waited.size(), 0u);
    }
    EXPECT_EQ(host.waited.size(), host.tickets) << "in the end";
    EXPECT_EQ(host.run_in_wait, 3u);
}

TEST(Jobs, AHostMayRunSomeJobsLate) {
    SlowHost host;
    {
        core::Jobs jobs(8, host.system());
        std::vector<int> visits(1000, 0);
        Random random(7);
        for (int region = 0; region < 1000; ++region) {
            jobs.tasks(visits.size(), [&](std::size_t task) {
                ++visits[task];
                if (task == 3) host.run(1); // inside a region: does what is left of it
            });
            ASSERT_LE(host.waiting.size(), 7u);
            ASSERT_LE(host.tickets - host.waited.size(), 7u) << "each open one has a job left";
            host.run(static_cast<std::size_t>(random.uniform(0.0, 6.0))); // outside: nothing
        }
        EXPECT_EQ(std::count(visits.begin(), visits.end(), 1000), 1000);
        EXPECT_GT(host.waited.size(), 500u) << "tickets whose jobs have run are given back";
    }
    EXPECT_EQ(host.waited.size(), host.tickets);
}

// A host's thread that comes while no region is open, or at the very end of one.
TEST(Jobs, LateJobsOfAHostClaimNoBlockTwice) {
    struct Host {
        std::atomic<twang_job> job{nullptr};
        std::atomic<void*> data{nullptr};
        std::atomic<bool> stopping{false}, ran{false};
    } host;
    std::thread late([&] { // takes jobs as they are, again and again
        while (!host.stopping) {
            const twang_job job = host.job.exchange(nullptr);
            if (!job) continue;
            job(host.data, 0);
            host.ran = true;
        }
    });
    {
        core::Jobs jobs(2, {[](void* user, twang_job job, void* data, std::int32_t) -> void* {
                                auto& h = *static_cast<Host*>(user);
                                h.ran = false;
                                h.data = data;
                                h.job = job;
                                return &h;
                            },
                            [](void* user, void*) {
                                const auto& h = *static_cast<Host*>(user);
                                while (!h.ran) std::this_thread::yield();
                            },
                            &host});
        std::vector<int> visits(16, 0);
        const int regions = api::sanitized ? 2000 : 20'000;
        for (int region = 0; region < regions; ++region)
            jobs.tasks(2 + region % 15, [&](std::size_t task) { ++visits[task]; });
        int expected = regions;
        for (std::size_t task = 0; task < visits.size(); ++task) {
            expected = 0;
            for (int region = 0; region < regions; ++region) expected += task < 2u + region % 15;
            EXPECT_EQ(visits[task], expected) << task;
        }
    }
    host.stopping = true;
    late.join();
}

// ---- Late helpers ------------------------------------------------------------------------------

constexpr std::int64_t ms = 1'000'000;

// Regions of a millisecond each, in which the caller waits as long after every so many; returns how
// many helpers are left.
int helpers_after(core::HelperLimit& limit, std::int64_t& time, int regions, int every,
                  std::int64_t wait) {
    for (int region = 1; region <= regions; ++region) {
        const std::int64_t waited = region % every == 0 ? wait : 0;
        time += ms + waited;
        if (limit.at(time) > 0) limit.record(time, 256, true, ms, waited);
    }
    return limit.now();
}

TEST(HelperLimit, KeepsHelpersThatAreInTime) {
    for (const int most : {1, 3, 7, 63}) {
        core::HelperLimit limit(most);
        std::int64_t time = 0;
        EXPECT_EQ(helpers_after(limit, time, 1000, 1, ms), most) << "as long as the caller worked";
        EXPECT_EQ(helpers_after(limit, time, 1000, 1000, 0), most);
    }
    core::HelperLimit limit(1);
    std::int64_t time = 0;
    EXPECT_EQ(helpers_after(limit, time, 1000, 30, 4 * ms), 1) << "a rare disturbance";
}

TEST(HelperLimit, SendsLateHelpersAway) {
    for (const int most : {1, 3, 7, 63}) {
        core::HelperLimit limit(most);
        std::int64_t time = 0;
        int lowest = most;
        for (int k = 0; k < 40; ++k)
            lowest = std::min(lowest, helpers_after(limit, time, 3, 3, 5 * ms));
        EXPECT_EQ(lowest, 0) << most;
    }
}

TEST(HelperLimit, SendsHelpersAwayThatNeverCome) {
    for (const std::int64_t own : {ms / 10, ms}) {
        core::HelperLimit limit(1);
        std::int64_t time = 0;
        int lowest = 1;
        for (int region = 0; region < 100; ++region) {
            time += own;
            if (limit.at(time) > 0) limit.record(time, 8, false, own, 0);
            lowest = std::min(lowest, limit.now());
        }
        EXPECT_EQ(lowest, own == ms ? 0 : 1) << "to a short region none can come";
    }
}

// Two workers that do one block each, one after the other, gain nothing.
TEST(HelperLimit, ExpectsOneBlockEachToEndTogether) {
    for (const auto& [blocks, left] : {std::pair{2u, 0}, {3u, 1}}) {
        core::HelperLimit limit(1);
        std::int64_t time = 0;
        int lowest = 1;
        for (int region = 0; region < 20; ++region) {
            time += 2 * ms;
            if (limit.at(time) > 0) limit.record(time, blocks, true, ms, ms);
            lowest = std::min(lowest, limit.now());
        }
        EXPECT_EQ(lowest, left) << blocks;
    }
}

// Tries again after a pause, more and more rarely while it is in vain, and in no time when the
// machine is quiet again.
TEST(HelperLimit, TriesAgain) {
    core::HelperLimit limit(7);
    std::int64_t time = 0;
    int late = 0, regions = 0;
    for (; time < 20'000 * ms; ++regions) {
        const bool with_helpers = limit.at(time) > 0;
        time += with_helpers ? 6 * ms : ms;
        late += with_helpers;
        if (with_helpers) limit.record(time, 256, true, ms, 5 * ms);
    }
    EXPECT_GT(late, 10);
    EXPECT_LT(late, 40) << "of " << regions;
    const std::int64_t quiet = time;
    while (limit.now() < 7 && time < quiet + 60'000 * ms) {
        time += ms;
        if (limit.at(time) > 0) limit.record(time, 256, true, ms, 0);
    }
    EXPECT_LT(time - quiet, 4'000 * ms);
}

// The same with threads: one is late until it is sent away, and comes again.
TEST(Jobs, GoOnWithoutALateHelper) {
    core::Jobs jobs(2);
    const auto caller = std::this_thread::get_id();
    for (int region = 0; region < 10 && jobs.helpers() > 0; ++region) {
        std::atomic<bool> begun{false};
        jobs.tasks(2, [&](std::size_t) {
            if (std::this_thread::get_id() == caller) {
                comes([&] { return begun.load(); });
            } else {
                begun = true;
                std::this_thread::sleep_for(50ms);
            }
        });
    }
    EXPECT_EQ(jobs.helpers(), 0);
    int with_others = 0;
    jobs.tasks(64, [&](std::size_t) { with_others += std::this_thread::get_id() != caller; });
    EXPECT_EQ(with_others, 0) << "alone for a moment";
    std::this_thread::sleep_for(30ms);
    jobs.tasks(2, [](std::size_t) {});
    EXPECT_EQ(jobs.helpers(), 1);
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
