// Ctrl-C as a request to stop after the frame. A second one ends the program at once.
#ifndef TWANG_DEMO_INTERRUPT_HPP
#define TWANG_DEMO_INTERRUPT_HPP

namespace twang::demo {

// From here on SIGINT is noted instead of killing, unless it is ignored. A file above the size
// limit is left to the write that fails.
void watch_for_interrupts();

// The signal that came, or 0.
int interrupted_by();

} // namespace twang::demo

#endif // TWANG_DEMO_INTERRUPT_HPP
