// Messages on standard error, one line each, also when a file name contains control characters.
// Exit codes come with the errors (twang/io.hpp) or from exit_code().
#ifndef TWANG_DEMO_MESSAGES_HPP
#define TWANG_DEMO_MESSAGES_HPP

#include <string>
#include <string_view>

#include <twang/io.hpp>

namespace twang::demo {

// Writes the text as one line; control characters become '?'.
void say(std::string_view text);

// Prints "file:line: reason" and returns the error's exit code.
int complain(const io::Error& error);

// Returns an error of the command line, with Exit::usage.
io::Error usage_error(std::string reason);

// Returns the exit code for the status of a body that was not created or a step that failed.
io::Exit exit_code(Status status);

} // namespace twang::demo

#endif // TWANG_DEMO_MESSAGES_HPP
