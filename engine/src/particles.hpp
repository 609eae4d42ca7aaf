// Vertices as balls that keep off each other: those of one body, neighbours excepted, and those of
// different bodies. All balls of a world are noted at the start of a step and sorted into a grid;
// when every body has moved, those that came too close, or went through each other, are moved apart
// in proportion to their masses, and rub (Coulomb). It does not matter which body moved first.
// Held vertices, and those that lie on an obstacle, give no way.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "colliders.hpp"
#include "jobs.hpp"
#include "model.hpp"

namespace twang::core {

// What a body contributes.
struct Balls {
    const Model* model;
    const Vec3* x;
    const char* held;
    double radius;   // m, > 0
    double friction; // mu
    double farthest; // m: how far a vertex goes in this step
};

Status check_particles(double radius, double friction);

class Particles {
public:
    void clear();
    bool empty() const { return balls_.empty(); }
    // Adds a body; returns the number of its first ball. Allocates while there are more than ever.
    std::uint32_t add(const Balls& balls, std::span<const Obstacle> obstacles);
    void sort();
    // Where the vertices of a body are now.
    void follow(std::uint32_t first, std::span<const Vec3> x);
    // Moves balls apart. False when none had to be moved.
    bool part(Jobs& jobs);
    Vec3 now(std::uint32_t ball) const { return balls_[ball].now; }
    Vec3 before(std::uint32_t ball) const { return balls_[ball].x; }

private:
    struct Ball {
        Vec3 x, now;                   // at the start of the step, and after it
        double radius, friction, give; // 1/kg; 0: firm
        std::uint32_t body, vertex;
        std::int32_t cell[3];
    };
    std::uint32_t bucket(const std::int32_t cell[3]) const;
    bool excluded(const Ball& a, const Ball& b) const;
    Vec3 way_out(const Ball& ball) const;

    std::vector<Ball> balls_;
    std::vector<Vec3> moves_;
    std::vector<const Model*> models_; // per body
    std::vector<std::uint32_t> start_, order_;
    double cell_ = 1.0;     // m
    double largest_ = 0.0;  // m: radius
    double farthest_ = 0.0; // m
};

} // namespace twang::core
