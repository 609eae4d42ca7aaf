#include "jobs.hpp"

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

int resolve(int workers) {
    if (workers == TWANG_ALL_CORES) workers = static_cast<int>(std::thread::hardware_concurrency());
    return std::clamp(workers, 1, TWANG_MAX_WORKERS);
}

constexpr int spins = 4000; // some ten microseconds: longer than the gaps inside a step

} // namespace

Jobs::Jobs(int workers, const twang_job_system& host) : workers_(resolve(workers)), host_(host) {
    if (host_.submit) return;
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
    stopping_ = true;
    epoch_.fetch_add(1, std::memory_order_release);
    epoch_.notify_all();
    for (std::thread& thread : threads_) thread.join();
}

void Jobs::fork(Region region, void* context) {
    region_ = region;
    context_ = context;
    if (host_.submit) {
        const twang_job job = [](void* data, std::int32_t index) {
            const Jobs& jobs = *static_cast<Jobs*>(data);
            jobs.region_(jobs.context_, index + 1);
        };
        void* ticket = host_.submit(host_.user, job, this, workers_ - 1);
        region(context, 0);
        host_.wait(host_.user, ticket);
        return;
    }
    running_.store(workers_ - 1, std::memory_order_relaxed);
    epoch_.fetch_add(1, std::memory_order_release);
    epoch_.notify_all();
    region(context, 0);
    for (int spin = 0; running_.load(std::memory_order_acquire) > 0; ++spin) {
        if (spin < spins)
            relax();
        else
            std::this_thread::yield();
    }
}

void Jobs::work(int worker) {
    std::uint32_t seen = 0;
    for (;;) {
        for (int spin = 0; epoch_.load(std::memory_order_acquire) == seen; ++spin) {
            if (spin < spins)
                relax();
            else
                epoch_.wait(seen, std::memory_order_acquire);
        }
        ++seen;
        if (stopping_) return;
        region_(context_, worker);
        running_.fetch_sub(1, std::memory_order_release);
    }
}

} // namespace twang::core
