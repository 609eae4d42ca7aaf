#include "hand.hpp"

namespace twang::demo {

void Hand::take(Show& show, const Hit& hit) {
    holding_ = true;
    generation_ = show.generation();
    grip_ = hit.grip;
    act_ = hit.act;
    was_pinned_ = show.acts()[act_]->stage.body.is_pinned(grip_.nearest());
    move(show, hit.at);
}

void Hand::move(Show& show, Point to) {
    if (!holds(show)) return;
    at_ = to;
    const Vec3 target = vec3(to - show.acts()[act_]->offset);
    for (const auto& act : show.acts()) act->stage.body.pin(grip_.nearest(), target);
}

void Hand::let_go(Show& show) {
    if (holds(show) && !was_pinned_) {
        for (const auto& act : show.acts()) act->stage.body.unpin(grip_.nearest());
    }
    holding_ = false;
}

void toggle_pin(Show& show, const Hit& hit) {
    const std::uint32_t vertex = hit.grip.nearest();
    const bool pinned = show.acts()[hit.act]->stage.body.is_pinned(vertex);
    for (const auto& act : show.acts()) {
        Body& body = act->stage.body;
        if (pinned) {
            body.unpin(vertex);
        } else {
            body.pin(vertex);
        }
    }
}

} // namespace twang::demo
