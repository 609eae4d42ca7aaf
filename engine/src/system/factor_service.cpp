// The thread of the factor service, or jobs of the host in its place.
#include "system/factor_service.hpp"

#include <algorithm>
#include <new>

#if defined(__linux__)
#include <sys/resource.h>
#include <unistd.h>
#endif

namespace twang::core {

namespace {

// Lowers the priority of this thread, so that the world's own threads go first. Where every core is
// busy, a thread of nice value 8 gets a seventh of a core: enough to be in time, and no frame takes
// a fifth longer.
void lower_priority() {
#if defined(__linux__)
    setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), 8);
#endif
}

} // namespace

void Task::make() {
    const MemoryScope memory(allocator_);
    work();
    finish();
}

void FactorRequest::work() {
    try {
        status = make_system(key, system);
        if (status != TWANG_OK) reason = last_error();
    } catch (const std::bad_alloc&) {
        status = TWANG_OUT_OF_MEMORY;
    } catch (...) {
        status = TWANG_INTERNAL;
    }
}

void FactorRequest::make_from(std::shared_ptr<const System> known) {
    system = std::move(known);
    finish();
}

void PendingUpdate::work() {
    try {
        live.rebase(order->system);
        if (earlier) live.reuse_columns_of(earlier->live);
        SolveScratch scratch(*order->system);
        Jobs serial(1);
        live.apply_changes(held, grabs, scratch, serial);
    } catch (...) { // out of memory: the frame computes the columns
        live.forget();
    }
    earlier.reset();
}

FactorService::FactorService(bool threaded, const twang_job_system& host,
                             const twang_allocator& allocator)
    : threaded_(threaded), host_(host), allocator_(allocator) {
    if (threaded_ && !host_.submit) thread_ = std::thread([this] { work(); });
}

FactorService::~FactorService() {
    if (host_.submit) {
        for (const auto& request : requests_) host_.wait(host_.user, request->ticket_);
        for (const auto& pending_update : pending_updates_)
            host_.wait(host_.user, pending_update->ticket_);
    }
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
}

std::shared_ptr<FactorRequest> FactorService::submit(SystemKey key) {
    const std::lock_guard lock(mutex_);
    for (const auto& request : requests_)
        if (request->key == key) return request;
    auto request = std::make_shared<FactorRequest>(std::move(key), allocator_);
    if (!threaded_) return request;
    requests_.push_back(request);
    start(*request);
    return request;
}

std::shared_ptr<PendingUpdate> FactorService::fit(std::shared_ptr<const FactorRequest> request,
                                                  std::vector<char> held, std::vector<Grab> grabs,
                                                  std::shared_ptr<const PendingUpdate> earlier) {
    auto pending_update = std::make_shared<PendingUpdate>(std::move(request), std::move(held),
                                                          std::move(grabs), allocator_);
    pending_update->earlier = std::move(earlier);
    const std::lock_guard lock(mutex_);
    if (host_.submit)
        std::erase_if(pending_updates_, [&](const auto& known) {
            if (known->done()) host_.wait(host_.user, known->ticket_);
            return known->done();
        });
    pending_updates_.push_back(pending_update);
    start(*pending_update);
    return pending_update;
}

// Each ticket of the host is waited for once: together with its request, when its update is known
// to be done, or in the destructor.
void FactorService::start(Task& task) {
    const twang_job job = [](void* data, std::int32_t) { static_cast<Task*>(data)->make(); };
    if (host_.submit) task.ticket_ = host_.submit(host_.user, job, &task, 1);
    changed_.notify_all();
}

void FactorService::wait(FactorRequest& request) {
    if (!threaded_ && !request.done()) request.make();
    if (host_.submit) {
        const auto known = std::find_if(requests_.begin(), requests_.end(),
                                        [&](const auto& o) { return o.get() == &request; });
        if (known == requests_.end()) return; // waited for already, by another body
        host_.wait(host_.user, request.ticket_);
        requests_.erase(known);
        return;
    }
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return request.done(); });
}

void FactorService::retire(std::shared_ptr<const System> system) {
    if (!system) return;
    const std::lock_guard lock(mutex_);
    if (!thread_.joinable()) return; // no thread: destroyed here
    retired_.push_back(std::move(system));
    changed_.notify_all();
}

std::shared_ptr<FactorRequest> submit(SystemCache& systems, FactorService& factor_service,
                                      SystemKey key) {
    auto known = systems.find(key);
    if (!known) return factor_service.submit(std::move(key));
    auto request = std::make_shared<FactorRequest>(std::move(key));
    request->make_from(std::move(known));
    return request;
}

void FactorService::work() {
    lower_priority();
    std::unique_lock lock(mutex_);
    const auto make_first = [&](auto& tasks) {
        const auto task = tasks.front();
        lock.unlock();
        task->make();
        lock.lock();
        tasks.pop_front();
        changed_.notify_all();
    };
    for (;;) {
        changed_.wait(lock, [&] {
            return stopping_ || !requests_.empty() || !pending_updates_.empty() ||
                   !retired_.empty();
        });
        if (stopping_) return;
        if (!pending_updates_.empty()) { // short, and needed sooner
            make_first(pending_updates_);
        } else if (!requests_.empty()) {
            make_first(requests_);
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
