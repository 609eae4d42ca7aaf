// Owns the worker threads of a world, or speaks to the host's job system in their place: fork-join
// over blocks, nothing else.
//
// A region is cut into blocks, which the caller and its helpers claim one by one from a counter,
//   state = generation of the region * 2^32 + blocks that nobody has claimed.
// The caller leaves a region when every block is done. It waits for a helper inside a block, never
// for one that has not come: a helper that the system has put aside costs only its help. A helper
// reads what the region is after it has claimed a block of it; the region lasts until that block is
// done, so a helper that comes late finds the region of now or none.
//
// Helpers spin for a moment between regions, then sleep, so that a paused game costs nothing. What
// a block computes must not depend on who computes it: that makes the bits the same for any number
// of workers, of helpers that come, and of blocks.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>
#include <type_traits>
#include <vector>

#include <twang/twang.h>

namespace twang::core {

// How many helpers are called to a region. Where other work is on the cores, the system puts a
// helper aside in the middle of a block, for milliseconds, and the caller waits. Blocks are of
// equal cost or come in order of falling cost, and the caller begins with the first: on an idle
// machine the caller waits no longer than it has worked in that region, and hardly at all if there
// is a worker for each block. What is waited beyond that is lateness; so is half of a long region
// to which nobody came. When it takes more than a fair share of the time, fewer helpers are called;
// after a pause, which is doubled each time in vain, more are tried again. No time decides a bit,
// only who works. Times are in nanoseconds.
class HelperLimit {
public:
    explicit HelperLimit(int most) : most_(most), now_(most) {}

    // The limit at a time.
    int at(std::int64_t time) {
        if (now_ < most_ && time >= retry_at_) raise(time);
        return now_;
    }
    int now() const { return now_; }
    // A region of so many blocks has ended at a time; the caller worked for `own`, then waited.
    // `helped`: some block was a helper's.
    void record(std::int64_t time, std::size_t blocks, bool helped, std::int64_t own,
                std::int64_t waited);

private:
    void raise(std::int64_t time);
    void lower(std::int64_t time);
    void begin_window();

    int most_, now_;
    std::int64_t spent_ = 0, late_ = 0; // in regions, of late
    std::int64_t since_change_ = 0;     // spent in regions since the limit changed
    std::int64_t retry_at_ = 0, pause_ = 0;
};

class Jobs {
public:
    // Threads in all, the caller's included; TWANG_ALL_CORES for one per core.
    explicit Jobs(int workers, const twang_job_system& host = {});
    ~Jobs();
    Jobs(const Jobs&) = delete;
    Jobs& operator=(const Jobs&) = delete;

    int workers() const { return workers_; }
    // How many helpers a region that begins now calls: workers() - 1 or, on a busy machine, fewer;
    // none inside a region.
    int helpers();

    // A range is cut into so many blocks per worker: enough to share what an absent one leaves, few
    // enough that claims cost nothing.
    static constexpr std::size_t blocks_per_worker = 4;

    // Calls f(begin, end) on disjoint ranges that cover [0, count) and whose borders, the ends
    // apart, are multiples of `grain`. Counts below four grains stay on the caller's thread, and so
    // does all of a region inside a region. f must not throw.
    template <class F>
    void ranges(std::size_t count, std::size_t grain, F&& f) {
        const std::size_t grains = (count + grain - 1) / grain;
        if (grains < 4 || helpers() == 0) {
            if (count > 0) f(std::size_t{0}, count);
            return;
        }
        const std::size_t blocks = std::min<std::size_t>(blocks_per_worker * workers_, grains);
        auto block = [&](std::size_t b) {
            const std::size_t begin = grains * b / blocks * grain;
            const std::size_t end = std::min(count, grains * (b + 1) / blocks * grain);
            f(begin, end);
        };
        fork(call<decltype(block)>, &block, blocks, Call::when_worth_it);
    }

    // Calls f(task) for every task below count, each on one worker. Tasks are begun in their order:
    // of equal cost, or the costliest first. f must not throw.
    template <class F>
    void tasks(std::size_t count, F&& f) {
        if (count < 2 || helpers() == 0) {
            for (std::size_t task = 0; task < count; ++task) f(task);
            return;
        }
        const std::size_t blocks = std::min(count, most_blocks);
        auto block = [&](std::size_t b) {
            for (std::size_t task = b; task < count; task += blocks) f(task);
        };
        fork(call<decltype(block)>, &block, blocks, Call::at_once);
    }

private:
    using Region = void (*)(void* context, std::size_t block);
    template <class Block>
    static void call(void* context, std::size_t block) {
        (*static_cast<Block*>(context))(block);
    }
    enum class Call { at_once, when_worth_it }; // sleeping helpers
    static constexpr std::size_t most_blocks = 1 << 20;

    // Jobs that the host has been given in one go.
    struct Ticket {
        Jobs* jobs = nullptr;
        void* host = nullptr;
        std::atomic<int> left{0}; // not yet run
        bool open = false;        // to be waited for
    };

    int limit() const { return limit_.load(std::memory_order_relaxed); }
    void fork(Region region, void* context, std::size_t blocks, Call call);
    int claim_all();
    void help();
    void finish(std::int64_t begin, int own);
    bool wait_for_helpers();
    void call_helpers(std::size_t blocks);
    void call_host(std::size_t blocks);
    int coming_jobs();
    void work(int worker);
    void stop();

    const int workers_;
    const twang_job_system host_;
    HelperLimit lateness_;
    std::int64_t time_ = 0;   // ns, of the last look at the clock
    std::int64_t missed_ = 0; // ns of work that sleeping helpers were not called to

    // What the region is: for the caller, and for who has claimed a block of it.
    Region region_ = nullptr;
    void* context_ = nullptr;
    std::size_t blocks_ = 0;
    bool is_open_ = false;

    alignas(64) std::atomic<std::uint64_t> state_{0};
    std::atomic<int> limit_;                            // helpers that may come
    alignas(64) std::atomic<std::uint32_t> pending_{0}; // blocks not reported as done
    alignas(64) std::atomic<std::uint32_t> alarm_{0};   // raised to wake the sleepers
    std::atomic<int> asleep_{0};                        // of those within the limit
    std::atomic<bool> stopping_{false};
    std::unique_ptr<Ticket[]> tickets_; // one per helper
    std::vector<std::thread> threads_;
};

} // namespace twang::core
