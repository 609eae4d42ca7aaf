// contact: cloth that falls on something and lies there, and the same cloth in the air.
#pragma once

#include <string>
#include <vector>

#include "suites/suite.hpp"
#include "suites/workloads.hpp"

namespace bench {

inline constexpr int contact_frames = 300;
inline constexpr int resting_frames = 60; // the last of them: how still the cloth lies
// Runs in contact are chaotic: stretch and rest are medians over so many starts.
inline constexpr int contact_variants = 5;

struct ContactScene {
    twang::io::Scene scene;
    twang::io::Scene air; // without colliders, held by two corners where nothing else holds it
    bool comes_to_rest = true;
};

// "ball33", "ball64", "drape", "box33", "cape", "skirt" and "stack".
const std::vector<std::string>& contact_scenes();
ContactScene contact_scene(const std::string& name); // throws std::runtime_error
// Starts some millimetres beside where it does, some 11 mm higher. Where there are pins, the shift
// grows from nothing at the first vertex, beside them, to the last. 0: as it is.
twang::io::Scene contact_variant(twang::io::Scene scene, int variant);

std::vector<int> contact_iterations(const std::string& scene);
std::vector<int> bullet_contact_iterations(const std::string& scene); // none: not played
std::string contact_name(const std::string& scene, int iterations);   // "contact/ball33/10"
std::string bullet_contact_name(const std::string& scene, int iterations);

} // namespace bench
