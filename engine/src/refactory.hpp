// Where systems are made while a world goes on stepping with what it has: one thread behind it,
// started when it is first needed, that works off orders one by one. It also takes apart systems
// that nobody needs any more, which is too slow for a frame. Where no thread is allowed, an order
// is made when it is waited for.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "system.hpp"

namespace twang::core {

struct Order {
    SystemKey key;
    twang_allocator allocator;
    // Once done:
    Status status = TWANG_OK;
    std::string reason;
    std::shared_ptr<const System> system;

    explicit Order(SystemKey wanted, const twang_allocator& memory = {})
        : key(std::move(wanted)), allocator(memory) {}
    bool done() const { return done_.load(std::memory_order_acquire); }
    void make(); // does the work, on whatever thread
    void make_from(std::shared_ptr<const System> known);

private:
    friend class Refactory;
    std::atomic<bool> done_{false};
    void* ticket_ = nullptr; // the host's
};

class Refactory {
public:
    explicit Refactory(bool threaded, const twang_job_system& host = {},
                       const twang_allocator& allocator = {})
        : threaded_(threaded), host_(host), allocator_(allocator) {}
    ~Refactory();
    Refactory(const Refactory&) = delete;
    Refactory& operator=(const Refactory&) = delete;

    // An order for the key: one that is still under way, or a new one.
    std::shared_ptr<Order> submit(SystemKey key);
    // False where waiting for it would take time that another thread is saving us.
    bool is_ready(const Order& order) const { return !threaded_ || order.done(); }
    void wait(Order& order);
    void retire(std::shared_ptr<const System> system);

private:
    void work();
    std::shared_ptr<Order> submit_to_host(std::shared_ptr<Order> order);

    const bool threaded_;
    const twang_job_system host_;
    const twang_allocator allocator_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::shared_ptr<Order>> orders_; // not yet made; the first one is being made
    std::deque<std::shared_ptr<const System>> retired_;
    bool stopping_ = false;
    std::thread thread_;
};

// The same, or done already where the cache knows the system.
std::shared_ptr<Order> submit(SystemCache& systems, Refactory& refactory, SystemKey key);

} // namespace twang::core
