#include "hand.hpp"

#include <algorithm>

namespace twang::demo {
namespace {

bool is_pinned(const Act& act, std::uint32_t vertex) {
    return std::binary_search(act.pins.begin(), act.pins.end(), vertex);
}

} // namespace

void Hand::take(Show& show, const Hit& hit) {
    holding_ = true;
    generation_ = show.generation();
    grip_ = hit.grip;
    act_ = hit.act;
    was_pinned_ = is_pinned(*show.acts()[act_], grip_.nearest());
    move(show, hit.at);
}

void Hand::move(Show& show, Point to) {
    if (!holds(show)) return;
    at_ = to;
    const Vec3 target = vec3(to - show.acts()[act_]->offset);
    for (const auto& act : show.acts()) {
        act->post([vertex = grip_.nearest(), target](Act& a) { a.stage.body.pin(vertex, target); });
    }
}

void Hand::let_go(Show& show) {
    if (holds(show) && !was_pinned_) {
        for (const auto& act : show.acts()) {
            act->post([vertex = grip_.nearest()](Act& a) { a.stage.body.unpin(vertex); });
        }
    }
    holding_ = false;
}

void toggle_pin(Show& show, const Hit& hit) {
    const std::uint32_t vertex = hit.grip.nearest();
    const bool pinned = is_pinned(*show.acts()[hit.act], vertex);
    for (const auto& act : show.acts()) {
        act->post([vertex, pinned](Act& a) {
            if (pinned) {
                a.stage.body.unpin(vertex);
            } else {
                a.stage.body.pin(vertex);
            }
        });
    }
}

} // namespace twang::demo
