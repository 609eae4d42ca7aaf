// contact: cloth that falls on an obstacle and stays there, and the same cloth in the air. The
// scenes, their variants and their names in results.
#pragma once

#include <string>
#include <vector>

#include "suites/suite.hpp"
#include "suites/workloads.hpp"

namespace bench {

inline constexpr int contact_frames = 300;
inline constexpr int resting_frames = 60; // the last of them, in which speeds at rest are measured
// Runs in contact are chaotic: stretch and speeds at rest are medians over this many starts.
inline constexpr int contact_variants = 5;

struct ContactScene {
    twang::io::Scene scene;
    twang::io::Scene air; // without colliders; two corners are pinned if the scene has no pins
    bool comes_to_rest = true;
};

// "ball33", "ball64", "drape", "box33", "cape", "skirt" and "stack".
const std::vector<std::string>& contact_scenes();
ContactScene contact_scene(const std::string& name); // throws std::runtime_error
// Returns the scene with its start shifted by some millimetres sideways, in two variants also by 11
// mm upwards. In a scene with pins the shift grows from zero at the first vertex, near the pins, to
// the whole shift at the last. Variant 0 is the scene itself.
twang::io::Scene contact_variant(twang::io::Scene scene, int variant);

std::vector<int> contact_iterations(const std::string& scene);
std::vector<int> bullet_contact_iterations(const std::string& scene); // empty: not run
std::string contact_name(const std::string& scene, int iterations);   // "contact/ball33/10"
std::string bullet_contact_name(const std::string& scene, int iterations);

} // namespace bench
