// Fork-join on one atomic counter, and the limit on helpers; see jobs.hpp for both methods.
#include "base/jobs.hpp"

#include <chrono>

#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>
#endif

namespace twang::core {

namespace {

void relax() {
#if defined(__x86_64__) || defined(__i386__)
    _mm_pause();
#else
    std::this_thread::yield();
#endif
}

std::int64_t clock_now() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

int resolve_workers(int workers) {
    if (workers == TWANG_ALL_CORES) workers = static_cast<int>(std::thread::hardware_concurrency());
    return std::clamp(workers, 1, TWANG_MAX_WORKERS);
}

constexpr int max_spins = 4000; // about 10 us: longer than the gaps inside a step
constexpr std::int64_t microsecond = 1000, millisecond = 1'000'000;
// ns; less work than this is not worth the system call that wakes a helper
constexpr std::int64_t min_unshared_work = 30 * microsecond;
constexpr std::int64_t min_pause = 20 * millisecond; // ns before the limit rises again

std::uint32_t unclaimed_blocks(std::uint64_t state) { return static_cast<std::uint32_t>(state); }
std::uint64_t next_generation(std::uint64_t state, std::size_t blocks) {
    return ((state >> 32) + 1) << 32 | blocks;
}

} // namespace

void HelperLimit::begin_window() {
    spent_ = 4 * millisecond; // ns; not 0, so that one short disturbance does not lower the limit
    wait_loss_ = since_change_ = 0;
}

void HelperLimit::raise(std::int64_t time) {
    current_limit_ = std::min(max_helpers_, current_limit_ + current_limit_ / 4 + 1);
    retry_at_ = time + std::max(pause_, min_pause);
    begin_window();
}

void HelperLimit::lower(std::int64_t time) {
    constexpr std::int64_t max_pause = 2000 * millisecond;
    current_limit_ -= (current_limit_ + 3) / 4;
    pause_ = std::clamp(2 * pause_, min_pause, max_pause);
    retry_at_ = time + pause_;
    begin_window();
}

// Lowers the limit when lost time > spent time / (2 k), for k threads. Each thread does 1/k of the
// work; frames become too uneven when half of that share is lost.
void HelperLimit::record(std::int64_t time, std::size_t blocks, bool helped, std::int64_t own,
                         std::int64_t waited) {
    const std::int64_t allowed_wait =
        blocks <= static_cast<std::size_t>(current_limit_ + 1) ? own / 4 : own;
    constexpr std::int64_t window = 64 * millisecond, settle_time = 100 * millisecond;
    if (spent_ == 0) begin_window();
    spent_ += own + waited;
    since_change_ += own + waited;
    constexpr std::int64_t wake_up_time = 200 * microsecond;
    wait_loss_ +=
        helped || own < wake_up_time ? std::max<std::int64_t>(0, waited - allowed_wait) : own / 2;
    if (2 * (current_limit_ + 1) * wait_loss_ > spent_) return lower(time);
    if (since_change_ > settle_time) {
        pause_ = 0;
        retry_at_ = std::min(retry_at_, time);
    }
    if (spent_ > window) spent_ /= 2, wait_loss_ /= 2;
}

Jobs::Jobs(int workers, const twang_job_system& host)
    : workers_(resolve_workers(workers)),
      host_(host),
      helper_limit_(workers_ - 1),
      limit_(workers_ - 1) {
    if (host_.submit) {
        tickets_ = std::make_unique<Ticket[]>(workers_ - 1);
        return;
    }
    threads_.reserve(workers_ - 1);
    try {
        for (int worker = 1; worker < workers_; ++worker)
            threads_.emplace_back([this, worker] { work(worker); });
    } catch (...) {
        stop();
        throw;
    }
}

Jobs::~Jobs() { stop(); }

void Jobs::stop() {
    for (int k = 0; tickets_ && k < workers_ - 1; ++k)
        if (tickets_[k].open) host_.wait(host_.user, tickets_[k].host);
    stopping_ = true;
    wake_signal_.fetch_add(1);
    wake_signal_.notify_all();
    for (std::thread& thread : threads_) thread.join();
}

// Also reads the clock: time_ becomes the begin of the region.
int Jobs::helpers() {
    if (workers_ == 1 || is_open_) return 0;
    time_ = clock_now();
    const int before = limit(), now = helper_limit_.at(time_);
    if (now > before) {
        limit_.store(now);
        wake_signal_.fetch_add(1);
        wake_signal_.notify_all();
    }
    return now;
}

void Jobs::fork(Region region, void* context, std::size_t blocks, Wake wake) {
    region_ = region;
    context_ = context;
    blocks_ = blocks;
    is_open_ = true;
    pending_.store(static_cast<std::uint32_t>(blocks), std::memory_order_relaxed);
    // The caller does block 0. The release store makes the members written above visible to every
    // thread that claims one of the other blocks.
    state_.store(next_generation(state_.load(std::memory_order_relaxed), blocks - 1),
                 std::memory_order_release);
    if (wake == Wake::at_once) wake_helpers(blocks - 1);
    region(context, 0);
    if (wake == Wake::when_worth_it && (host_.submit || asleep_.load(std::memory_order_relaxed))) {
        unshared_work_ += (clock_now() - time_) * static_cast<std::int64_t>(blocks - 1);
        if (unshared_work_ > min_unshared_work) wake_helpers(blocks - 1);
    }
    finish(time_, 1 + claim_all());
    is_open_ = false;
    if (host_.submit) unfinished_host_jobs();
}

// Claims and does blocks until none is left. Returns their number; the caller of claim_all
// subtracts the number from pending_.
int Jobs::claim_all() {
    int count = 0;
    std::uint64_t state = state_.load(std::memory_order_relaxed);
    while (unclaimed_blocks(state) > 0)
        if (state_.compare_exchange_weak(state, state - 1, std::memory_order_acquire,
                                         std::memory_order_relaxed)) {
            region_(context_, blocks_ - unclaimed_blocks(state));
            ++count;
            state = state_.load(std::memory_order_relaxed);
        }
    return count;
}

// Subtracts the blocks that this thread did from pending_ and waits for those of the helpers.
void Jobs::finish(std::int64_t begin, int own) {
    const std::int64_t end = clock_now();
    const auto done = static_cast<std::uint32_t>(own);
    std::int64_t waited = 0;
    if (pending_.fetch_sub(done, std::memory_order_acquire) != done && wait_for_helpers())
        waited = clock_now() - end;
    helper_limit_.record(end + waited, blocks_, done < blocks_, end - begin, waited);
    if (helper_limit_.now() < limit()) limit_.store(helper_limit_.now(), std::memory_order_relaxed);
}

// Waits until every block is done. Returns whether the wait outlasted the spinning.
bool Jobs::wait_for_helpers() {
    for (int spin = 0; spin < max_spins; ++spin) {
        if (pending_.load(std::memory_order_acquire) == 0) return false;
        relax();
    }
    for (;;) {
        const std::uint32_t left = pending_.load(std::memory_order_acquire);
        if (left == 0) return true;
        pending_.wait(left, std::memory_order_acquire);
    }
}

// Wakes as many helpers as there are blocks.
void Jobs::wake_helpers(std::size_t blocks) {
    unshared_work_ = 0;
    if (host_.submit) return submit_to_host(blocks);
    const int asleep = asleep_.load();
    if (asleep == 0) return;
    wake_signal_.fetch_add(1);
    if (blocks >= static_cast<std::size_t>(asleep))
        wake_signal_.notify_all();
    else
        for (std::size_t k = 0; k < blocks; ++k) wake_signal_.notify_one();
}

// Submits host jobs, which claim blocks as threads do. The caller does not wait for a job that the
// host starts late. Until such a job has run, the job counts as a helper, and no other job is
// submitted in its place.
void Jobs::submit_to_host(std::size_t blocks) {
    const int wanted =
        static_cast<int>(std::min<std::size_t>(blocks, limit())) - unfinished_host_jobs();
    if (wanted <= 0) return;
    Ticket* ticket = tickets_.get(); // some ticket is free: open ones have unfinished jobs
    while (ticket->open) ++ticket;
    ticket->jobs = this;
    ticket->open = true;
    ticket->left.store(wanted, std::memory_order_relaxed);
    const twang_job job = [](void* data, std::int32_t) {
        Ticket& own = *static_cast<Ticket*>(data);
        own.jobs->help();
        own.left.fetch_sub(1, std::memory_order_release);
    };
    ticket->host = host_.submit(host_.user, job, ticket, wanted);
}

// Returns the number of host jobs that have not finished, and closes tickets without any.
int Jobs::unfinished_host_jobs() {
    int unfinished = 0;
    for (int k = 0; k < workers_ - 1; ++k) {
        Ticket& ticket = tickets_[k];
        if (!ticket.open) continue;
        const int left = ticket.left.load(std::memory_order_acquire);
        unfinished += left;
        if (left > 0) continue;
        host_.wait(host_.user, ticket.host);
        ticket.open = false;
    }
    return unfinished;
}

void Jobs::help() {
    const auto done = static_cast<std::uint32_t>(claim_all());
    if (done > 0 && pending_.fetch_sub(done) == done) pending_.notify_one();
}

void Jobs::work(int worker) {
    for (;;) {
        const std::uint32_t seen =
            wake_signal_.load(); // read before the checks: no wake-up may be lost
        if (stopping_) return;
        if (worker > limit()) {
            wake_signal_.wait(seen);
            continue;
        }
        int spin = 0;
        for (; spin < max_spins && unclaimed_blocks(state_.load(std::memory_order_relaxed)) == 0;
             ++spin)
            relax();
        if (spin < max_spins) {
            if (worker <= limit()) help();
            continue;
        }
        ++asleep_;
        wake_signal_.wait(seen);
        --asleep_;
    }
}

} // namespace twang::core
