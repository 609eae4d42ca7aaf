// Owns the worker threads of a world, or submits to the host's job system instead: fork-join over
// blocks, nothing else.
//
// A region is a parallel loop over blocks. The caller and its helpers claim blocks from one
// counter,
//   state = generation of the region * 2^32 + number of unclaimed blocks.
// The caller returns from a region when every block is done. The caller waits for a helper that is
// inside a block, never for a helper that has not started: a helper that was preempted only costs
// its help. A helper reads the members that describe the region after claiming a block of that
// region. The region lasts until that block is done, so a late helper finds either the current
// region or no unclaimed block.
//
// Helpers spin for some ten microseconds between regions, then sleep, so that a paused game costs
// nothing. The result of a block must not depend on the thread that computes it; then the bits are
// the same for any number of workers, of helpers that take part, and of blocks.
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

// Limits the number of helpers per region. Where other programs use the cores, the system preempts
// a helper in the middle of a block for milliseconds, and the caller waits. Blocks have equal cost
// or are ordered by falling cost, and the caller begins with the first. So on an idle machine the
// waiting time of the caller is at most its working time in that region, and almost 0 if there is a
// worker for each block. The waiting time beyond that is lost. Half of a long region is counted as
// lost too if no helper took part. When the lost time exceeds a fair share of the total, the limit
// falls. After a pause, which doubles with each failed attempt, the limit rises again. Times decide
// only which threads work, never a bit of a result. All times are in nanoseconds.
class HelperLimit {
public:
    explicit HelperLimit(int max_helpers)
        : max_helpers_(max_helpers), current_limit_(max_helpers) {}

    // Returns the limit at a time; raises the limit first if the pause is over.
    int at(std::int64_t time) {
        if (current_limit_ < max_helpers_ && time >= retry_at_) raise(time);
        return current_limit_;
    }
    int now() const { return current_limit_; }
    // Records a region that ended at `time`: the caller worked for `own`, then waited for `waited`.
    // `helped` tells whether a helper did any of the blocks.
    void record(std::int64_t time, std::size_t blocks, bool helped, std::int64_t own,
                std::int64_t waited);

private:
    void raise(std::int64_t time);
    void lower(std::int64_t time);
    void begin_window();

    int max_helpers_, current_limit_;
    std::int64_t spent_ = 0, wait_loss_ = 0; // time in regions, and time lost there; both decay
    std::int64_t since_change_ = 0;          // time in regions since the limit changed
    std::int64_t retry_at_ = 0, pause_ = 0;
};

class Jobs {
public:
    // `workers`: number of threads, the caller included; TWANG_ALL_CORES for one per core.
    explicit Jobs(int workers, const twang_job_system& host = {});
    ~Jobs();
    Jobs(const Jobs&) = delete;
    Jobs& operator=(const Jobs&) = delete;

    int workers() const { return workers_; }
    // Number of helpers for a region that begins now: workers() - 1, or fewer on a busy machine, or
    // 0 inside a region.
    int helpers();

    // Blocks per worker in ranges(): enough to share out the blocks of an absent worker, few enough
    // that claims cost nothing.
    static constexpr std::size_t blocks_per_worker = 4;

    // Calls f(begin, end) on disjoint ranges that cover [0, count). Every border except 0 and count
    // is a multiple of `grain`. Counts below four grains stay on the caller's thread, and so does a
    // region inside a region. f must not throw.
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
        fork(call<decltype(block)>, &block, blocks, Wake::when_worth_it);
    }

    // Calls f(task) for every task below count, each on one worker. Tasks begin in their order and
    // should have equal cost or falling cost. f must not throw.
    template <class F>
    void tasks(std::size_t count, F&& f) {
        if (count < 2 || helpers() == 0) {
            for (std::size_t task = 0; task < count; ++task) f(task);
            return;
        }
        const std::size_t blocks = std::min(count, max_blocks);
        auto block = [&](std::size_t b) {
            for (std::size_t task = b; task < count; task += blocks) f(task);
        };
        fork(call<decltype(block)>, &block, blocks, Wake::at_once);
    }

private:
    using Region = void (*)(void* context, std::size_t block);
    template <class Block>
    static void call(void* context, std::size_t block) {
        (*static_cast<Block*>(context))(block);
    }
    enum class Wake { at_once, when_worth_it }; // when to wake sleeping helpers
    static constexpr std::size_t max_blocks = 1 << 20;

    // Jobs that were submitted to the host in one call.
    struct Ticket {
        Jobs* jobs = nullptr;
        void* host = nullptr;
        std::atomic<int> left{0}; // jobs that have not finished
        bool open = false;        // submitted, and host_.wait() not called yet
    };

    int limit() const { return limit_.load(std::memory_order_relaxed); }
    void fork(Region region, void* context, std::size_t blocks, Wake wake);
    int claim_all();
    void help();
    void finish(std::int64_t begin, int own);
    bool wait_for_helpers();
    void wake_helpers(std::size_t blocks);
    void submit_to_host(std::size_t blocks);
    int unfinished_host_jobs();
    void work(int worker);
    void stop();

    const int workers_;
    const twang_job_system host_;
    HelperLimit helper_limit_;
    std::int64_t time_ = 0;          // ns, last reading of the clock
    std::int64_t unshared_work_ = 0; // ns of blocks that sleeping helpers could have done

    // The current region. Written by the caller; read by a thread that has claimed a block.
    Region region_ = nullptr;
    void* context_ = nullptr;
    std::size_t blocks_ = 0;
    bool is_open_ = false;

    alignas(64) std::atomic<std::uint64_t> state_{0};
    std::atomic<int> limit_;                                // helpers that may take part
    alignas(64) std::atomic<std::uint32_t> pending_{0};     // blocks not reported as done
    alignas(64) std::atomic<std::uint32_t> wake_signal_{0}; // incremented to wake sleeping helpers
    std::atomic<int> asleep_{0}; // sleeping helpers among those within the limit
    std::atomic<bool> stopping_{false};
    std::unique_ptr<Ticket[]> tickets_; // one per helper
    std::vector<std::thread> threads_;
};

} // namespace twang::core
