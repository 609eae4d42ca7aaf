// Ctrl-C (SIGINT) stops the run after the current frame. A second Ctrl-C ends the program at once.
#ifndef TWANG_DEMO_INTERRUPT_HPP
#define TWANG_DEMO_INTERRUPT_HPP

namespace twang::demo {

// Installs the handler of SIGINT, unless SIGINT is ignored. Ignores SIGXFSZ: a file above the size
// limit then makes its write fail instead of ending the program.
void watch_for_interrupts();

// Returns the signal that was caught, or 0.
int interrupted_by();

} // namespace twang::demo

#endif // TWANG_DEMO_INTERRUPT_HPP
