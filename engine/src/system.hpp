// Q = M/h^2 + springs + pins, n x n, factored: everything that is computed once and then reused by
// every iteration of every step. Immutable; bodies whose key is the same share one.
#pragma once

#include <memory>
#include <vector>

#include "model.hpp"

namespace twang::core {

// What Q depends on.
struct SystemKey {
    std::shared_ptr<const Model> model;
    twang_energy energy;
    twang_pin_method method;
    double time_step;
    std::vector<char> held; // per vertex

    bool operator==(const SystemKey&) const = default;
};

struct System {
    SystemKey key;
    std::vector<double> pin_weights; // N/m per vertex; 0 where not pinned, or pinned by elimination
    LowerFactor lower;
    double assemble_ms = 0.0, factor_ms = 0.0;

    bool eliminates(std::size_t vertex) const {
        return key.method == TWANG_PIN_ELIMINATION && key.held[vertex];
    }
};

Status make_system(SystemKey key, std::shared_ptr<const System>& system);

// b := Q^-1 b
void solve(const System& system, Vec3* b);

// The systems in use in a world, found by key; forgets those that no body uses any more.
class SystemCache {
public:
    Status fetch(SystemKey key, std::shared_ptr<const System>& system);

private:
    std::vector<std::weak_ptr<const System>> systems_;
};

} // namespace twang::core
