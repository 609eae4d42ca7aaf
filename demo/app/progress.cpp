#include "app/progress.hpp"

#include <unistd.h>

#include <cstdio>

namespace twang::demo {
namespace {

constexpr std::chrono::milliseconds first_delay{500}; // before the line first appears
constexpr std::chrono::milliseconds interval{100};    // between two updates

} // namespace

Progress::Progress(int frames)
    : frames_(frames),
      terminal_(isatty(STDERR_FILENO) != 0),
      start_(Clock::now()),
      next_(start_ + first_delay) {}

void Progress::erase() {
    if (shown_) std::fputs("\r\033[K", stderr);
    shown_ = false;
}

void Progress::show(int frame) {
    if (!terminal_) return;
    const Clock::time_point now = Clock::now();
    if (now < next_) return;
    next_ = now + interval;
    shown_ = true;
    const double elapsed = std::chrono::duration<double>(now - start_).count();
    const double seconds_left = elapsed / frame * (frames_ - frame);
    std::fprintf(stderr, "\rframe %d of %d (%.0f %%), about %.0f s to go\033[K", frame, frames_,
                 100.0 * frame / frames_, seconds_left);
    std::fflush(stderr);
}

} // namespace twang::demo
