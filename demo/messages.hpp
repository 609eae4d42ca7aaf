// What the demo says on standard error: one line a message, whatever a file name holds.
// It decides nothing; exit codes come with the errors (twang/io.hpp) or from exit_code().
#ifndef TWANG_DEMO_MESSAGES_HPP
#define TWANG_DEMO_MESSAGES_HPP

#include <string>
#include <string_view>

#include <twang/io.hpp>

namespace twang::demo {

// Writes the text as one line; control characters become '?'.
void say(std::string_view text);

// Says "file:line: reason" and returns the error's exit code.
int complain(const io::Error& error);

// An error of the command line itself.
io::Error usage_error(std::string reason);

// The exit code for a body or a step that failed.
io::Exit exit_code(Status status);

} // namespace twang::demo

#endif // TWANG_DEMO_MESSAGES_HPP
