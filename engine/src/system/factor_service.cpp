#include "system/factor_service.hpp"

#include <algorithm>
#include <new>

#if defined(__linux__)
#include <sys/resource.h>
#include <unistd.h>
#endif

namespace twang::core {

namespace {

// The world's own threads go first. Where every core is taken, a thread so nice gets a seventh of
// one: enough to be in time, and still no frame takes a fifth longer.
void step_back() {
#if defined(__linux__)
    setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), 8);
#endif
}

} // namespace

void Errand::make() {
    const MemoryScope memory(allocator_);
    work();
    finish();
}

void Order::work() {
    try {
        status = make_system(key, system);
        if (status != TWANG_OK) reason = last_error();
    } catch (const std::bad_alloc&) {
        status = TWANG_OUT_OF_MEMORY;
    } catch (...) {
        status = TWANG_INTERNAL;
    }
}

void Order::make_from(std::shared_ptr<const System> known) {
    system = std::move(known);
    finish();
}

void Fitting::work() {
    try {
        live.rebase(order->system);
        if (earlier) live.learn_from(earlier->live);
        SolveScratch scratch(*order->system);
        Jobs alone(1);
        live.admit(held, grabs, scratch, alone);
    } catch (...) { // short of memory: then the frame has to look
        live.forget();
    }
    earlier.reset();
}

Refactory::Refactory(bool threaded, const twang_job_system& host, const twang_allocator& allocator)
    : threaded_(threaded), host_(host), allocator_(allocator) {
    if (threaded_ && !host_.submit) thread_ = std::thread([this] { work(); });
}

Refactory::~Refactory() {
    if (host_.submit) {
        for (const auto& order : orders_) host_.wait(host_.user, order->ticket_);
        for (const auto& fitting : fittings_) host_.wait(host_.user, fitting->ticket_);
    }
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
    orders_.push_back(order);
    start(*order);
    return order;
}

std::shared_ptr<Fitting> Refactory::fit(std::shared_ptr<const Order> order, std::vector<char> held,
                                        std::vector<Grab> grabs,
                                        std::shared_ptr<const Fitting> earlier) {
    auto fitting =
        std::make_shared<Fitting>(std::move(order), std::move(held), std::move(grabs), allocator_);
    fitting->earlier = std::move(earlier);
    const std::lock_guard lock(mutex_);
    if (host_.submit)
        std::erase_if(fittings_, [&](const auto& known) {
            if (known->done()) host_.wait(host_.user, known->ticket_);
            return known->done();
        });
    fittings_.push_back(fitting);
    start(*fitting);
    return fitting;
}

// A host's ticket is waited for once: when its order is, when its fitting is known to be done, or
// in the end.
void Refactory::start(Errand& errand) {
    const twang_job job = [](void* data, std::int32_t) { static_cast<Errand*>(data)->make(); };
    if (host_.submit) errand.ticket_ = host_.submit(host_.user, job, &errand, 1);
    changed_.notify_all();
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
    const auto make_first = [&](auto& errands) {
        const auto errand = errands.front();
        lock.unlock();
        errand->make();
        lock.lock();
        errands.pop_front();
        changed_.notify_all();
    };
    for (;;) {
        changed_.wait(lock, [&] {
            return stopping_ || !orders_.empty() || !fittings_.empty() || !retired_.empty();
        });
        if (stopping_) return;
        if (!fittings_.empty()) { // short, and sooner needed
            make_first(fittings_);
        } else if (!orders_.empty()) {
            make_first(orders_);
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
