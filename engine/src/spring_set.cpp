#include "spring_set.hpp"

namespace twang::core {

LiveSprings::LiveSprings(const SpringSet& original)
    : original_(original),
      place_(original.springs.size()),
      rest_scale_(original.springs.size(), 1.0),
      broken_(original.springs.size(), 0) {
    stiffness_.reserve(original.springs.size());
    for (const Spring& spring : original.springs) stiffness_.push_back(spring.stiffness);
    next_stiffness_ = stiffness_;
    set_.springs = original.springs;
    set_.links = original.links;
    set_.gather.start = original.gather.start;
    set_.gather.slots = AlignedArray<LinkSlot>(original.gather.slots.size());
    std::copy_n(original.gather.slots.data(), original.gather.slots.size(),
                set_.gather.slots.data());
    for (std::uint32_t at = 0; at < set_.links.items.size(); ++at) {
        const Link& link = set_.links.items[at];
        const bool from_b = set_.springs[link.spring].a == link.other;
        place_[link.spring][from_b] = at;
    }
}

void LiveSprings::write(std::size_t s) {
    const Spring& was = original_.springs[s];
    Spring& spring = set_.springs[s];
    spring.stiffness = broken_[s] ? 0.0 : stiffness_[s];
    spring.rest_length = rest_scale_[s] * was.rest_length;
    for (const bool from_b : {false, true}) {
        const std::uint32_t at = place_[s][from_b], vertex = from_b ? spring.b : spring.a;
        Link& link = set_.links.items[at];
        link.stiffness = spring.stiffness;
        link.rest_length = spring.rest_length;
        const std::size_t slot = set_.gather.start[vertex / 8] + at - set_.links.start[vertex];
        const LinkSlot& old = original_.gather.slots.data()[slot];
        LinkSlot& now = set_.gather.slots.data()[slot];
        now.stiffness[vertex % 8] = static_cast<float>(spring.stiffness);
        now.rest_length[vertex % 8] =
            static_cast<float>(rest_scale_[s] * old.rest_length[vertex % 8]);
    }
}

void LiveSprings::scale_rest(std::size_t spring, double scale) {
    rest_scale_[spring] = scale;
    write(spring);
}

std::vector<double> LiveSprings::next_stiffness() const {
    std::vector<double> stiffness = next_stiffness_;
    for (std::size_t s = 0; s < stiffness.size(); ++s)
        if (broken_[s]) stiffness[s] = 0.0;
    return stiffness;
}

void LiveSprings::take_stiffness(const std::vector<double>& stiffness) {
    for (std::size_t s = 0; s < stiffness.size(); ++s) {
        if (broken_[s] || stiffness[s] == stiffness_[s]) continue;
        stiffness_[s] = stiffness[s];
        write(s);
    }
}

void LiveSprings::break_spring(std::size_t spring) {
    if (broken_[spring]) return;
    broken_[spring] = 1;
    ++broken_count_;
    write(spring);
}

void LiveSprings::assign(std::size_t spring, double rest_scale, double stiffness,
                         double next_stiffness, bool broken) {
    rest_scale_[spring] = rest_scale;
    stiffness_[spring] = stiffness;
    next_stiffness_[spring] = next_stiffness;
    broken_count_ += broken;
    broken_count_ -= broken_[spring];
    broken_[spring] = broken;
    write(spring);
}

void LiveSprings::restore_all() {
    for (std::size_t s = 0; s < broken_.size(); ++s) {
        const double stiffness = original_.springs[s].stiffness;
        assign(s, 1.0, stiffness, stiffness, false);
    }
}

} // namespace twang::core
