// Where systems are made while a world goes on stepping with what it has: one thread behind it,
// as old as the world, because starting one is too slow for a frame, that works off orders one by
// one. Then it fits what it made to the bodies: what they changed since. It also takes apart
// systems that nobody needs any more, too slow as well. Where no thread is allowed, an order is
// made when it is waited for, and nothing is fitted.
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

// Something to be done on whatever thread, and whether it is.
class Errand {
public:
    explicit Errand(const twang_allocator& memory) : allocator_(memory) {}
    virtual ~Errand() = default;
    bool done() const { return done_.load(std::memory_order_acquire); }
    void make();

protected:
    void finish() { done_.store(true, std::memory_order_release); }

private:
    friend class Refactory;
    virtual void work() = 0; // does not throw
    twang_allocator allocator_;
    std::atomic<bool> done_{false};
    void* ticket_ = nullptr; // the host's
};

struct Order : Errand {
    SystemKey key;
    // Once done:
    Status status = TWANG_OK;
    std::string reason;
    std::shared_ptr<const System> system;

    explicit Order(SystemKey wanted, const twang_allocator& memory = {})
        : Errand(memory), key(std::move(wanted)) {}
    void make_from(std::shared_ptr<const System> known);

private:
    void work() override;
};

// A body's changes on a system it has not taken yet, so that it need not look for them in the frame
// in which it takes it. It may be without any: the frame finds what is not known, the same bits.
struct Fitting : Errand {
    const std::shared_ptr<const Order> order; // done
    std::vector<char> held;
    std::vector<Grab> grabs;
    std::shared_ptr<const Fitting> earlier; // done; null once this is
    LiveSystem live;                        // once done

    Fitting(std::shared_ptr<const Order> made, std::vector<char> pins, std::vector<Grab> grabbed,
            const twang_allocator& memory)
        : Errand(memory),
          order(std::move(made)),
          held(std::move(pins)),
          grabs(std::move(grabbed)) {}

private:
    void work() override;
};

class Refactory {
public:
    explicit Refactory(bool threaded, const twang_job_system& host = {},
                       const twang_allocator& allocator = {});
    ~Refactory();
    Refactory(const Refactory&) = delete;
    Refactory& operator=(const Refactory&) = delete;

    // An order for the key: one that is still under way, or a new one.
    std::shared_ptr<Order> submit(SystemKey key);
    // For these pins and grabs, to an order that is done. `earlier`: one to learn from, or null.
    std::shared_ptr<Fitting> fit(std::shared_ptr<const Order> order, std::vector<char> held,
                                 std::vector<Grab> grabs, std::shared_ptr<const Fitting> earlier);
    bool threaded() const { return threaded_; }
    // False where waiting for it would take time that another thread is saving us.
    bool is_ready(const Order& order) const { return !threaded_ || order.done(); }
    void wait(Order& order);
    void retire(std::shared_ptr<const System> system);

private:
    void work();
    void start(Errand& errand);

    const bool threaded_;
    const twang_job_system host_;
    const twang_allocator allocator_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::shared_ptr<Order>> orders_;     // not yet made; the first one is being made
    std::deque<std::shared_ptr<Fitting>> fittings_; // likewise
    std::deque<std::shared_ptr<const System>> retired_;
    bool stopping_ = false;
    std::thread thread_; // starts when all else is there
};

// The same, or done already where the cache knows the system.
std::shared_ptr<Order> submit(SystemCache& systems, Refactory& refactory, SystemKey key);

} // namespace twang::core
