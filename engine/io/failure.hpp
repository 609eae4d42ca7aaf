// How readers fail: the place that finds a fault throws a Failure, and guarded() turns it into an
// Error. No Failure leaves this library.
#ifndef TWANG_IO_FAILURE_HPP
#define TWANG_IO_FAILURE_HPP

#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#include <twang/io.hpp>

namespace twang::io {

struct Failure {
    Error error;
};

[[noreturn]] inline void fail(const std::string& file, int line, std::string reason,
                              Exit exit = Exit::invalid) {
    throw Failure{{file, line, std::move(reason), exit}};
}

// Runs `read` and returns its value, or the Error that its exception stands for.
template <class Read>
auto guarded(const std::string& file, Read read) -> Result<decltype(read())> {
    try {
        return read();
    } catch (const Failure& failure) {
        return failure.error;
    } catch (const std::bad_alloc&) {
        return Error{file, 0, "out of memory", Exit::memory};
    } catch (const std::length_error&) {
        return Error{file, 0, "out of memory", Exit::memory};
    } catch (const std::exception& defect) {
        return Error{file, 0, defect.what(), Exit::invalid};
    }
}

} // namespace twang::io

#endif // TWANG_IO_FAILURE_HPP
