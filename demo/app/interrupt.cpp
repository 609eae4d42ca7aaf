#include "app/interrupt.hpp"

#include <csignal>

namespace twang::demo {
namespace {

volatile std::sig_atomic_t caught_signal = 0;

extern "C" void note_signal(int signal) {
    caught_signal = signal;
    std::signal(signal, SIG_DFL);
}

} // namespace

void watch_for_interrupts() {
    // Shells start background jobs with SIGINT ignored; SIGINT then stays ignored.
    if (std::signal(SIGINT, note_signal) == SIG_IGN) std::signal(SIGINT, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
}

int interrupted_by() { return caught_signal; }

} // namespace twang::demo
