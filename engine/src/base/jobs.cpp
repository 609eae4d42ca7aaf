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

int resolve(int workers) {
    if (workers == TWANG_ALL_CORES) workers = static_cast<int>(std::thread::hardware_concurrency());
    return std::clamp(workers, 1, TWANG_MAX_WORKERS);
}

constexpr int spins = 4000; // some ten microseconds: longer than the gaps inside a step
constexpr std::int64_t microsecond = 1000, millisecond = 1'000'000;
// Work below this is not worth the system call that wakes a helper.
constexpr std::int64_t worth_a_call = 30 * microsecond;
constexpr std::int64_t shortest_pause = 20 * millisecond; // before more helpers are tried

std::uint32_t unclaimed(std::uint64_t state) { return static_cast<std::uint32_t>(state); }
std::uint64_t next_generation(std::uint64_t state, std::size_t blocks) {
    return ((state >> 32) + 1) << 32 | blocks;
}

} // namespace

void HelperLimit::begin_window() {
    spent_ = 4 * millisecond; // one short disturbance does not send anybody away
    late_ = since_change_ = 0;
}

void HelperLimit::raise(std::int64_t time) {
    now_ = std::min(most_, now_ + now_ / 4 + 1);
    retry_at_ = time + std::max(pause_, shortest_pause);
    begin_window();
}

void HelperLimit::lower(std::int64_t time) {
    constexpr std::int64_t longest_pause = 2000 * millisecond;
    now_ -= (now_ + 3) / 4;
    pause_ = std::clamp(2 * pause_, shortest_pause, longest_pause);
    retry_at_ = time + pause_;
    begin_window();
}

// Each of k threads does a k-th of the work. Lateness that takes half as much time away makes
// frames too uneven for that.
void HelperLimit::record(std::int64_t time, std::size_t blocks, bool helped, std::int64_t own,
                         std::int64_t waited) {
    const std::int64_t in_time = blocks <= static_cast<std::size_t>(now_ + 1) ? own / 4 : own;
    constexpr std::int64_t window = 64 * millisecond, settled = 100 * millisecond;
    if (spent_ == 0) begin_window();
    spent_ += own + waited;
    since_change_ += own + waited;
    constexpr std::int64_t time_to_come = 200 * microsecond;
    late_ += helped || own < time_to_come ? std::max<std::int64_t>(0, waited - in_time) : own / 2;
    if (2 * (now_ + 1) * late_ > spent_) return lower(time);
    if (since_change_ > settled) {
        pause_ = 0;
        retry_at_ = std::min(retry_at_, time);
    }
    if (spent_ > window) spent_ /= 2, late_ /= 2;
}

Jobs::Jobs(int workers, const twang_job_system& host)
    : workers_(resolve(workers)), host_(host), lateness_(workers_ - 1), limit_(workers_ - 1) {
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
    alarm_.fetch_add(1);
    alarm_.notify_all();
    for (std::thread& thread : threads_) thread.join();
}

// Looks at the clock: time_ is when the region begins.
int Jobs::helpers() {
    if (workers_ == 1 || is_open_) return 0;
    time_ = clock_now();
    const int before = limit(), now = lateness_.at(time_);
    if (now > before) {
        limit_.store(now);
        alarm_.fetch_add(1);
        alarm_.notify_all();
    }
    return now;
}

void Jobs::fork(Region region, void* context, std::size_t blocks, Call call) {
    region_ = region;
    context_ = context;
    blocks_ = blocks;
    is_open_ = true;
    pending_.store(static_cast<std::uint32_t>(blocks), std::memory_order_relaxed);
    // The first block is the caller's. Who claims another has seen all that was written before.
    state_.store(next_generation(state_.load(std::memory_order_relaxed), blocks - 1),
                 std::memory_order_release);
    if (call == Call::at_once) call_helpers(blocks - 1);
    region(context, 0);
    if (call == Call::when_worth_it && (host_.submit || asleep_.load(std::memory_order_relaxed))) {
        missed_ += (clock_now() - time_) * static_cast<std::int64_t>(blocks - 1);
        if (missed_ > worth_a_call) call_helpers(blocks - 1);
    }
    finish(time_, 1 + claim_all());
    is_open_ = false;
    if (host_.submit) coming_jobs();
}

// Does blocks until none is left. Returns how many, which are not reported yet.
int Jobs::claim_all() {
    int count = 0;
    std::uint64_t state = state_.load(std::memory_order_relaxed);
    while (unclaimed(state) > 0)
        if (state_.compare_exchange_weak(state, state - 1, std::memory_order_acquire,
                                         std::memory_order_relaxed)) {
            region_(context_, blocks_ - unclaimed(state));
            ++count;
            state = state_.load(std::memory_order_relaxed);
        }
    return count;
}

// Reports the caller's own blocks and waits for the others.
void Jobs::finish(std::int64_t begin, int own) {
    const std::int64_t end = clock_now();
    const auto done = static_cast<std::uint32_t>(own);
    std::int64_t waited = 0;
    if (pending_.fetch_sub(done, std::memory_order_acquire) != done && wait_for_helpers())
        waited = clock_now() - end;
    lateness_.record(end + waited, blocks_, done < blocks_, end - begin, waited);
    if (lateness_.now() < limit()) limit_.store(lateness_.now(), std::memory_order_relaxed);
}

// Whether that took long.
bool Jobs::wait_for_helpers() {
    for (int spin = 0; spin < spins; ++spin) {
        if (pending_.load(std::memory_order_acquire) == 0) return false;
        relax();
    }
    for (;;) {
        const std::uint32_t left = pending_.load(std::memory_order_acquire);
        if (left == 0) return true;
        pending_.wait(left, std::memory_order_acquire);
    }
}

// To so many blocks.
void Jobs::call_helpers(std::size_t blocks) {
    missed_ = 0;
    if (host_.submit) return call_host(blocks);
    const int asleep = asleep_.load();
    if (asleep == 0) return;
    alarm_.fetch_add(1);
    if (blocks >= static_cast<std::size_t>(asleep))
        alarm_.notify_all();
    else
        for (std::size_t k = 0; k < blocks; ++k) alarm_.notify_one();
}

// The host's jobs claim blocks as threads do. One that the host runs late is not waited for: until
// then it counts as a helper that is on its way, and none is called in its place.
void Jobs::call_host(std::size_t blocks) {
    const int wanted = static_cast<int>(std::min<std::size_t>(blocks, limit())) - coming_jobs();
    if (wanted <= 0) return;
    Ticket* ticket = tickets_.get(); // some are free: those that are open have a job left each
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

// How many of the host's jobs have not run. Tickets without any are given back.
int Jobs::coming_jobs() {
    int coming = 0;
    for (int k = 0; k < workers_ - 1; ++k) {
        Ticket& ticket = tickets_[k];
        if (!ticket.open) continue;
        const int left = ticket.left.load(std::memory_order_acquire);
        coming += left;
        if (left > 0) continue;
        host_.wait(host_.user, ticket.host);
        ticket.open = false;
    }
    return coming;
}

void Jobs::help() {
    const auto done = static_cast<std::uint32_t>(claim_all());
    if (done > 0 && pending_.fetch_sub(done) == done) pending_.notify_one();
}

void Jobs::work(int worker) {
    for (;;) {
        const std::uint32_t seen = alarm_.load(); // before the looks at what may raise it
        if (stopping_) return;
        if (worker > limit()) {
            alarm_.wait(seen);
            continue;
        }
        int spin = 0;
        for (; spin < spins && unclaimed(state_.load(std::memory_order_relaxed)) == 0; ++spin)
            relax();
        if (spin < spins) {
            if (worker <= limit()) help();
            continue;
        }
        ++asleep_;
        alarm_.wait(seen);
        --asleep_;
    }
}

} // namespace twang::core
