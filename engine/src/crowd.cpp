#include "crowd.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace twang::core {

namespace {

// Below this a body is better off with one worker of its own than with a share of all.
constexpr std::size_t large = 3000; // vertices
// With fewer, lanes stay empty and one by one is faster.
constexpr std::size_t fewest_together = 6;

bool same_kind(const Body& a, const Body& b) { return a.system.shared() == b.system.shared(); }

// False where there is no memory for it: one by one needs no more.
bool make_room(const SolveContext& context, PanelBatch& batch) {
    try {
        batch.fit(context.objective.system.base().panels);
        return true;
    } catch (const std::bad_alloc&) {
        return false;
    }
}

} // namespace

void Crowd::add(const Frame& frame, twang_body handle, Body& body) {
    steps_.emplace_back(frame, handle, body);
}

void Crowd::admit_all() {
    large_.clear();
    small_.clear();
    for (BodyStep& step : steps_) {
        step.admit();
        if (step.status() != TWANG_OK) continue;
        (step.body().x.size() < large ? small_ : large_).push_back(&step);
    }
}

// Bodies with the same factor side by side, then cut into units that keep all workers busy.
void Crowd::share_out(int workers) {
    units_.clear();
    std::sort(small_.begin(), small_.end(), [](BodyStep* a, BodyStep* b) {
        const auto place = [](BodyStep* s) {
            return std::pair(s->body().system.shared().get(), s);
        };
        return place(a) < place(b);
    });
    for (std::size_t begin = 0, end; begin < small_.size(); begin = end) {
        end = begin + 1;
        while (end < small_.size() && same_kind(small_[begin]->body(), small_[end]->body())) ++end;
        const std::size_t count = end - begin;
        const std::size_t size =
            std::clamp<std::size_t>((count + workers - 1) / workers, 1, PanelBatch::most);
        for (std::size_t first = begin; first < end; first += size)
            units_.push_back({first, std::min(first + size, end)});
    }
    if (batches_.size() < units_.size()) batches_.resize(units_.size());
}

void Crowd::run(const Unit& unit, PanelBatch& batch) {
    SolveContext* together[PanelBatch::most];
    std::exception_ptr failures[PanelBatch::most];
    std::size_t count = 0;
    for (std::size_t k = unit.begin; k < unit.end; ++k) {
        small_[k]->begin(alone_);
        SolveContext* context = small_[k]->context();
        if (context && suits_batch(*context)) together[count++] = context;
    }
    if (count < fewest_together || !make_room(*together[0], batch)) count = 0;
    if (count > 0) local_global({together, count}, batch, failures);
    for (std::size_t k = unit.begin; k < unit.end; ++k) {
        const auto at = std::find(together, together + count, small_[k]->context()) - together;
        if (static_cast<std::size_t>(at) < count)
            small_[k]->solved(failures[at]);
        else
            small_[k]->solve();
        small_[k]->finish();
    }
}

const Body* Crowd::step(const Frame& frame) {
    admit_all();
    // A caller's callback is called on its own thread.
    const bool shared = !frame.on_iteration;
    share_out(shared ? frame.jobs.workers() : 1); // before anything moves: it may need memory
    for (BodyStep* step : large_) {
        step->begin(frame.jobs);
        step->solve();
        step->finish();
    }
    const auto unit = [&](std::size_t u) { run(units_[u], batches_[u]); };
    if (shared)
        frame.jobs.tasks(units_.size(), unit);
    else
        for (std::size_t u = 0; u < units_.size(); ++u) unit(u);
    for (BodyStep& step : steps_)
        if (step.status() != TWANG_OK) return &step.body();
    return nullptr;
}

} // namespace twang::core
