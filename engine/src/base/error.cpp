// The error message of each thread, in a buffer of 512 bytes; longer messages are cut off.
#include "base/error.hpp"

#include <cstdarg>
#include <cstdio>

#ifdef __FINITE_MATH_ONLY__
#if __FINITE_MATH_ONLY__
#error "Twang checks for NaN and infinity: do not compile it with -ffast-math or -ffinite-math-only"
#endif
#endif

namespace twang::core {

namespace {
thread_local char message[512] = "";
}

Status fail(Status status, const char* format, ...) {
    std::va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return status;
}

const char* last_error() { return message; }

} // namespace twang::core
