// Springs in the three forms that the engine reads, and the own copy of a body that changes
// springs: rest lengths and stiffness scaled, springs broken. A body without changes shares the
// springs of its model.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/csr.hpp"
#include "base/error.hpp"
#include "springs/spring_kernels.hpp"

namespace twang::core {

struct Spring {
    std::uint32_t a, b;            // vertices
    double stiffness, rest_length; // N/m, m
    twang_spring_kind kind;
};

struct SpringSet {
    HostVector<Spring> springs; // in the order of the caller
    Lists<Link> links;          // per vertex, by ascending neighbour
    GatherLists gather;         // the same links, for the local step
};

// The springs of one body, with its changes to those of the model.
class BodySprings {
public:
    // `original` must outlive the object.
    explicit BodySprings(const SpringSet& original);

    const SpringSet& set() const { return set_; }
    bool is_broken(std::size_t spring) const { return broken_[spring]; }
    std::size_t broken_count() const { return broken_count_; }
    double rest_scale(std::size_t spring) const { return rest_scale_[spring]; }
    double stiffness(std::size_t spring) const { return set_.springs[spring].stiffness; }
    double next_stiffness(std::size_t spring) const { return (*next_stiffness_)[spring]; }

    // Takes effect at once.
    void scale_rest(std::size_t spring, double scale);
    // Takes effect in apply_stiffness(), when a factor for next_stiffness() is ready.
    void scale_stiffness(std::size_t spring, double scale);
    // Returns the stiffness per spring that the next factor should have, 0 for broken springs. The
    // returned vector never changes: later changes go to a copy.
    std::shared_ptr<const std::vector<double>> next_stiffness();
    void apply_stiffness(const std::vector<double>& stiffness);
    // Takes effect at once: the spring has no force from now on.
    void break_spring(std::size_t spring);
    // Sets the state of a spring to that of another body of the same model. A broken spring has no
    // stiffness.
    void assign(std::size_t spring, double rest_scale, double stiffness, double next_stiffness,
                bool broken);
    void restore_all();

private:
    void write(std::size_t spring, double stiffness);
    void set_next(std::size_t spring, double stiffness);
    void unshare_next(); // copies next_stiffness_ if a reader holds the vector

    const SpringSet& original_;
    SpringSet set_;
    std::vector<double> rest_scale_;
    std::shared_ptr<std::vector<double>> next_stiffness_;
    bool next_is_shared_ = false;
    std::vector<char> broken_;
    std::size_t broken_count_ = 0;
};

} // namespace twang::core
