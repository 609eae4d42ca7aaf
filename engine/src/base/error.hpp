// base: errors, memory, threads, small vectors, compressed lists, vector registers and CPU
// features. Every other folder includes base; base includes only the C++ library and twang.h, and
// may not know of springs, matrices, bodies or contacts.
//
// This file owns the error message of the current thread. A function that can fail returns a Status
// and states the reason through fail(). twang.h lists the codes and their meanings.
#pragma once

#include <twang/twang.h>

namespace twang::core {

using Status = twang_status;

// Stores a printf-style message for twang_last_error() and returns the status. The status must not
// be TWANG_OK.
[[gnu::format(printf, 2, 3)]] Status fail(Status status, const char* format, ...);

// Returns the last message of this thread; "" before the first failure.
const char* last_error();

} // namespace twang::core
