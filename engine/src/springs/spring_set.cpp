// A body's own springs; see spring_set.hpp.
#include "springs/spring_set.hpp"

namespace twang::core {

// Copies some megabytes for a large cloth, in the frame in which its first spring breaks; therefore
// only plain copies of arrays.
BodySprings::BodySprings(const SpringSet& original)
    : original_(original),
      rest_scale_(original.springs.size(), 1.0),
      next_stiffness_(std::make_shared<std::vector<double>>(original.springs.size())),
      broken_(original.springs.size(), 0) {
    for (std::size_t s = 0; s < next_stiffness_->size(); ++s)
        (*next_stiffness_)[s] = original.springs[s].stiffness;
    set_.springs = original.springs;
    set_.links = original.links;
    set_.gather.start = original.gather.start;
    set_.gather.slots = AlignedArray<LinkSlot>(original.gather.slots.size());
    std::copy_n(original.gather.slots.data(), original.gather.slots.size(),
                set_.gather.slots.data());
}

// Writes stiffness and rest length of a spring to all three forms, at both of its vertices.
void BodySprings::write(std::size_t s, double stiffness) {
    const Spring& was = original_.springs[s];
    Spring& spring = set_.springs[s];
    spring.stiffness = broken_[s] ? 0.0 : stiffness;
    spring.rest_length = rest_scale_[s] * was.rest_length;
    for (const std::uint32_t vertex : {spring.a, spring.b}) {
        Link* link = set_.links.items.data() + set_.links.start[vertex];
        std::size_t slot = set_.gather.start[vertex / 8];
        for (; link->spring != s; ++link) ++slot;
        link->stiffness = spring.stiffness;
        link->rest_length = spring.rest_length;
        const LinkSlot& old = original_.gather.slots.data()[slot];
        LinkSlot& now = set_.gather.slots.data()[slot];
        now.stiffness[vertex % 8] = static_cast<float>(spring.stiffness);
        now.rest_length[vertex % 8] =
            static_cast<float>(rest_scale_[s] * old.rest_length[vertex % 8]);
    }
}

void BodySprings::scale_rest(std::size_t spring, double scale) {
    rest_scale_[spring] = scale;
    write(spring, stiffness(spring));
}

void BodySprings::set_next(std::size_t spring, double stiffness) {
    if ((*next_stiffness_)[spring] == stiffness) return;
    unshare_next();
    (*next_stiffness_)[spring] = stiffness;
}

void BodySprings::unshare_next() {
    if (next_is_shared_) next_stiffness_ = std::make_shared<std::vector<double>>(*next_stiffness_);
    next_is_shared_ = false;
}

void BodySprings::scale_stiffness(std::size_t spring, double scale) {
    if (!broken_[spring]) set_next(spring, scale * original_.springs[spring].stiffness);
}

std::shared_ptr<const std::vector<double>> BodySprings::next_stiffness() {
    next_is_shared_ = true;
    return next_stiffness_;
}

void BodySprings::apply_stiffness(const std::vector<double>& stiffness) {
    for (std::size_t s = 0; s < stiffness.size(); ++s)
        if (!broken_[s] && stiffness[s] != set_.springs[s].stiffness) write(s, stiffness[s]);
}

void BodySprings::break_spring(std::size_t spring) {
    if (broken_[spring]) return;
    set_next(spring, 0.0); // first: the only line that may fail
    broken_[spring] = 1;
    ++broken_count_;
    write(spring, 0.0);
}

void BodySprings::assign(std::size_t spring, double rest_scale, double stiffness,
                         double next_stiffness, bool broken) {
    rest_scale_[spring] = rest_scale;
    set_next(spring, broken ? 0.0 : next_stiffness);
    broken_count_ += broken;
    broken_count_ -= broken_[spring];
    broken_[spring] = broken;
    write(spring, stiffness);
}

void BodySprings::restore_all() {
    unshare_next(); // first: the only line that may fail
    for (std::size_t s = 0; s < broken_.size(); ++s) {
        const double stiffness = original_.springs[s].stiffness;
        assign(s, 1.0, stiffness, stiffness, false);
    }
}

} // namespace twang::core
