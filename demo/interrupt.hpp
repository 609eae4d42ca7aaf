// Ctrl-C and a polite kill as a request to stop after the frame. A second one ends the program at
// once.
#ifndef TWANG_DEMO_INTERRUPT_HPP
#define TWANG_DEMO_INTERRUPT_HPP

namespace twang::demo {

// From here on SIGINT and SIGTERM are noted instead of killing; ignored ones stay ignored.
void watch_for_interrupts();

// The signal that came, or 0.
int interrupted_by();

} // namespace twang::demo

#endif // TWANG_DEMO_INTERRUPT_HPP
