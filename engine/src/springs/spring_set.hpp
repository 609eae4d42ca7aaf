// Springs in the three forms the engine reads them in, and a body's own copy of them once it
// changes any: rest lengths and stiffness scaled, springs broken. A body that changes none shares
// its model's.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/csr.hpp"
#include "base/error.hpp"
#include "springs/spring_kernels.hpp"

namespace twang::core {

struct Spring {
    std::uint32_t a, b;
    double stiffness, rest_length;
    twang_spring_kind kind;
};

struct SpringSet {
    HostVector<Spring> springs; // in the order they were given
    Lists<Link> links;          // per vertex, by ascending neighbour
    GatherLists gather;         // the links again, for the fast local step
};

class LiveSprings {
public:
    // `original` must outlive this.
    explicit LiveSprings(const SpringSet& original);

    const SpringSet& set() const { return set_; }
    bool is_broken(std::size_t spring) const { return broken_[spring]; }
    std::size_t broken_count() const { return broken_count_; }
    double rest_scale(std::size_t spring) const { return rest_scale_[spring]; }
    double stiffness(std::size_t spring) const { return set_.springs[spring].stiffness; }
    double next_stiffness(std::size_t spring) const { return (*next_stiffness_)[spring]; }

    // In effect at once.
    void scale_rest(std::size_t spring, double scale);
    // In effect once a system has been made for next_stiffness() and is taken.
    void scale_stiffness(std::size_t spring, double scale);
    // Per spring, 0 where broken. Does not change any more: what comes later goes to a copy.
    std::shared_ptr<const std::vector<double>> next_stiffness();
    void take_stiffness(const std::vector<double>& stiffness);
    // In effect at once: the spring pulls no more.
    void break_spring(std::size_t spring);
    // As another one of the same model is; a broken one has no stiffness.
    void assign(std::size_t spring, double rest_scale, double stiffness, double next_stiffness,
                bool broken);
    void restore_all();

private:
    void write(std::size_t spring, double stiffness);
    void set_next(std::size_t spring, double stiffness);
    void keep_next(); // for this one alone

    const SpringSet& original_;
    SpringSet set_;
    std::vector<double> rest_scale_;
    std::shared_ptr<std::vector<double>> next_stiffness_;
    bool next_is_shared_ = false;
    std::vector<char> broken_;
    std::size_t broken_count_ = 0;
};

} // namespace twang::core
