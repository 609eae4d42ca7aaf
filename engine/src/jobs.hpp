// Owns the worker threads of a world, or speaks to the host's job system in their place: fork-join
// over ranges, nothing else. The caller is one of the workers. Workers spin for a moment between
// regions, then sleep, so that a paused game costs nothing. What a range computes must not depend
// on who computes it: that is what makes the bits the same for any number of workers.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <type_traits>
#include <vector>

#include <twang/twang.h>

namespace twang::core {

class Jobs {
public:
    // Threads in all, the caller's included; TWANG_ALL_CORES for one per core.
    explicit Jobs(int workers, const twang_job_system& host = {});
    ~Jobs();
    Jobs(const Jobs&) = delete;
    Jobs& operator=(const Jobs&) = delete;

    int workers() const { return workers_; }

    // Calls f(begin, end) on disjoint ranges that cover [0, count) and whose borders, the ends
    // apart, are multiples of `grain`. Counts below four grains stay on the caller's thread. f must
    // not throw.
    template <class F>
    void ranges(std::size_t count, std::size_t grain, F&& f) {
        const std::size_t blocks = (count + grain - 1) / grain;
        const std::size_t parts = std::min<std::size_t>(workers_, blocks);
        if (parts < 2 || blocks < 4) {
            if (count > 0) f(std::size_t{0}, count);
            return;
        }
        auto part = [&](int worker) {
            const std::size_t w = worker;
            if (w >= parts) return;
            const std::size_t begin = blocks * w / parts * grain;
            const std::size_t end = std::min(count, blocks * (w + 1) / parts * grain);
            f(begin, end);
        };
        fork([](void* context, int worker) { (*static_cast<decltype(part)*>(context))(worker); },
             &part);
    }

    // Calls f(task) for every task below count, each on one worker. f must not throw.
    template <class F>
    void tasks(std::size_t count, F&& f) {
        if (workers_ == 1 || count < 2) {
            for (std::size_t task = 0; task < count; ++task) f(task);
            return;
        }
        auto part = [&](int worker) {
            for (std::size_t task = worker; task < count; task += workers_) f(task);
        };
        fork([](void* context, int worker) { (*static_cast<decltype(part)*>(context))(worker); },
             &part);
    }

private:
    using Region = void (*)(void* context, int worker);
    void fork(Region region, void* context);
    void work(int worker);
    void stop();

    int workers_;
    twang_job_system host_;
    Region region_ = nullptr;
    void* context_ = nullptr;
    bool stopping_ = false;
    std::atomic<std::uint32_t> epoch_{0}; // raised once per region: the starting gun
    std::atomic<int> running_{0};         // workers that have not finished the region
    std::vector<std::thread> threads_;
};

} // namespace twang::core
