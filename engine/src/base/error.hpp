// Owns the error message of the current thread. Everything else returns a Status and, where it
// fails, says why through fail(). The codes and their meanings are the table in twang.h.
#pragma once

#include <twang/twang.h>

namespace twang::core {

using Status = twang_status;

// Remembers a printf-style message for twang_last_error() and returns the status. Not for TWANG_OK.
[[gnu::format(printf, 2, 3)]] Status fail(Status status, const char* format, ...);

const char* last_error();

} // namespace twang::core
