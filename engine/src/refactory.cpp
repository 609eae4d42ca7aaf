#include "refactory.hpp"

#include <algorithm>
#include <new>

#if defined(__linux__)
#include <sys/resource.h>
#include <unistd.h>
#endif

namespace twang::core {

namespace {

// The world's own threads go first.
void step_back() {
#if defined(__linux__)
    setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), 10);
#endif
}

} // namespace

void Order::make() {
    const MemoryScope memory(allocator);
    try {
        status = make_system(key, system);
        if (status != TWANG_OK) reason = last_error();
    } catch (const std::bad_alloc&) {
        status = TWANG_OUT_OF_MEMORY;
    } catch (...) {
        status = TWANG_INTERNAL;
    }
    done_.store(true, std::memory_order_release);
}

void Order::make_from(std::shared_ptr<const System> known) {
    system = std::move(known);
    done_.store(true, std::memory_order_release);
}

Refactory::~Refactory() {
    if (host_.submit)
        for (const auto& order : orders_) host_.wait(host_.user, order->ticket_);
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
}

std::shared_ptr<Order> Refactory::submit(SystemKey key) {
    const std::lock_guard lock(mutex_);
    for (const auto& order : orders_)
        if (order->key == key) return order;
    auto order = std::make_shared<Order>(std::move(key), allocator_);
    if (!threaded_) return order;
    if (host_.submit) return submit_to_host(std::move(order));
    if (!thread_.joinable()) thread_ = std::thread([this] { work(); });
    orders_.push_back(order);
    changed_.notify_all();
    return order;
}

// A ticket is waited for once: when the order is, or in the end.
std::shared_ptr<Order> Refactory::submit_to_host(std::shared_ptr<Order> order) {
    const twang_job job = [](void* data, std::int32_t) { static_cast<Order*>(data)->make(); };
    orders_.push_back(order);
    order->ticket_ = host_.submit(host_.user, job, order.get(), 1);
    return order;
}

void Refactory::wait(Order& order) {
    if (!threaded_ && !order.done()) order.make();
    if (host_.submit) {
        const auto known = std::find_if(orders_.begin(), orders_.end(),
                                        [&](const auto& o) { return o.get() == &order; });
        if (known == orders_.end()) return; // waited for already, by another body
        host_.wait(host_.user, order.ticket_);
        orders_.erase(known);
        return;
    }
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return order.done(); });
}

void Refactory::retire(std::shared_ptr<const System> system) {
    if (!system) return;
    const std::lock_guard lock(mutex_);
    if (!thread_.joinable()) return; // nothing runs behind this world: taken apart here
    retired_.push_back(std::move(system));
    changed_.notify_all();
}

std::shared_ptr<Order> submit(SystemCache& systems, Refactory& refactory, SystemKey key) {
    auto known = systems.find(key);
    if (!known) return refactory.submit(std::move(key));
    auto order = std::make_shared<Order>(std::move(key));
    order->make_from(std::move(known));
    return order;
}

void Refactory::work() {
    step_back();
    std::unique_lock lock(mutex_);
    for (;;) {
        changed_.wait(lock, [&] { return stopping_ || !orders_.empty() || !retired_.empty(); });
        if (stopping_) return;
        if (!orders_.empty()) {
            const std::shared_ptr<Order> order = orders_.front();
            lock.unlock();
            order->make();
            lock.lock();
            orders_.pop_front();
            changed_.notify_all();
        } else {
            std::shared_ptr<const System> last = std::move(retired_.front());
            retired_.pop_front();
            lock.unlock();
            last.reset();
            lock.lock();
        }
    }
}

} // namespace twang::core
