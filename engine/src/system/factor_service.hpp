// The factor service makes systems in the background while a world goes on stepping with its
// current ones. A single thread makes the requested systems one by one. The thread is as old as the
// world, because starting a thread is too slow for a frame. For each system made, the service then
// computes the Schur update of the bodies: their changes since the request. The service also
// destroys systems that are no longer used, which is too slow for a frame as well. Where no thread
// is allowed, a request is made when it is waited for, and no update is computed ahead.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "system/schur_update.hpp"

namespace twang::core {

// Work for any thread, and whether the work is done.
class Task {
public:
    explicit Task(const twang_allocator& memory) : allocator_(memory) {}
    virtual ~Task() = default;
    bool done() const { return done_.load(std::memory_order_acquire); }
    void make();

protected:
    void finish() { done_.store(true, std::memory_order_release); }

private:
    friend class FactorService;
    virtual void work() = 0; // does not throw
    twang_allocator allocator_;
    std::atomic<bool> done_{false};
    void* ticket_ = nullptr; // of the host's job system
};

struct FactorRequest : Task {
    SystemKey key;
    // Valid once done:
    Status status = TWANG_OK;
    std::string reason;
    std::shared_ptr<const System> system;

    explicit FactorRequest(SystemKey wanted, const twang_allocator& memory = {})
        : Task(memory), key(std::move(wanted)) {}
    void make_from(std::shared_ptr<const System> known);

private:
    void work() override;
};

// The Schur update of a body on a system that the body does not use yet, so that the frame that
// switches to the system need not compute the update. The update may remain without columns: the
// frame then computes them, with the same bits.
struct PendingUpdate : Task {
    const std::shared_ptr<const FactorRequest> order; // done
    std::vector<char> held;
    std::vector<Grab> grabs;
    std::shared_ptr<const PendingUpdate> earlier; // done; null once this task is done
    UpdatedSystem live;                           // valid once done

    PendingUpdate(std::shared_ptr<const FactorRequest> made, std::vector<char> pins,
                  std::vector<Grab> grabbed, const twang_allocator& memory)
        : Task(memory), order(std::move(made)), held(std::move(pins)), grabs(std::move(grabbed)) {}

private:
    void work() override;
};

class FactorService {
public:
    explicit FactorService(bool threaded, const twang_job_system& host = {},
                           const twang_allocator& allocator = {});
    ~FactorService();
    FactorService(const FactorService&) = delete;
    FactorService& operator=(const FactorService&) = delete;

    // Returns a request for the key: a pending one, or a new one.
    std::shared_ptr<FactorRequest> submit(SystemKey key);
    // Queues the Schur update for these pins and grabs on the system of a request that is done.
    // `earlier`: an update to reuse columns of, or null.
    std::shared_ptr<PendingUpdate> fit(std::shared_ptr<const FactorRequest> request,
                                       std::vector<char> held, std::vector<Grab> grabs,
                                       std::shared_ptr<const PendingUpdate> earlier);
    bool threaded() const { return threaded_; }
    // Returns false where waiting for the request would take time that another thread is saving.
    bool is_ready(const FactorRequest& request) const { return !threaded_ || request.done(); }
    void wait(FactorRequest& request);
    // Takes a system that is no longer used, to destroy it on the thread.
    void retire(std::shared_ptr<const System> system);

private:
    void work();
    void start(Task& task);

    const bool threaded_;
    const twang_job_system host_;
    const twang_allocator allocator_;
    std::mutex mutex_;
    std::condition_variable changed_;
    // Requests not yet made; the thread works on the first.
    std::deque<std::shared_ptr<FactorRequest>> requests_;
    std::deque<std::shared_ptr<PendingUpdate>> pending_updates_; // likewise
    std::deque<std::shared_ptr<const System>> retired_;
    bool stopping_ = false;
    std::thread thread_; // last: starts after all other members exist
};

// Submits a request. Returns one that is already done where the cache has the system.
std::shared_ptr<FactorRequest> submit(SystemCache& systems, FactorService& factor_service,
                                      SystemKey key);

} // namespace twang::core
