// Scenes and durations of the suite `energy`, used by the suite and by its table.
#pragma once

namespace bench {

inline constexpr const char* energy_scenes[] = {"oscillator", "rope", "bunny"};
inline constexpr int energy_seconds[] = {1, 10, 60};

} // namespace bench
