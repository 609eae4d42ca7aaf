// The C border: what the entry points of twang.h share. Each entry point checks its pointers,
// enters the world (one call at a time), looks the handle up, checks its numbers, and only then
// changes anything. Exceptions end here, as a status. Code of this folder only translates;
// simulation is below it.
#pragma once

#include <new>
#include <stdexcept>
#include <system_error>

#include "world/world.hpp"

struct twang_model {
    std::shared_ptr<const twang::core::Model> model;
};
struct twang_world {
    twang::core::World world;
};

namespace twang::core {

// Runs f() and turns exceptions into a status.
template <class F>
Status guarded(F&& f) noexcept {
    try {
        return f();
    } catch (const std::bad_alloc&) {
        return fail(TWANG_OUT_OF_MEMORY, "not enough memory");
    } catch (const std::length_error&) {
        return fail(TWANG_TOO_LARGE, "a size overflows");
    } catch (const std::system_error& e) { // no thread could be started
        return fail(TWANG_OUT_OF_MEMORY, "%s", e.what());
    } catch (const std::exception& e) {
        return fail(TWANG_INTERNAL, "%s", e.what());
    } catch (...) {
        return fail(TWANG_INTERNAL, "unknown exception");
    }
}

inline Status missing(const char* what) { return fail(TWANG_INVALID_ARGUMENT, "%s is null", what); }

// Runs f(world) with exclusive access and the world's allocator; BUSY during another call.
template <class W, class F>
Status inside(W* world, F&& f) noexcept {
    if (!world) return missing("world");
    auto& inner = world->world;
    if (inner.busy.exchange(true, std::memory_order_acquire))
        return fail(TWANG_BUSY, "the world is stepping, or in use by another thread");
    const MemoryScope memory(inner.def.allocator);
    const Status status = guarded([&] { return f(inner); });
    inner.busy.store(false, std::memory_order_release);
    return status;
}

// The same for f(world, thing), with the body or collider that the handle names.
template <class Thing, class W, class Handle, class F>
Status inside(W* world, Handle handle, F&& f) noexcept {
    return inside(world, [&](auto& inner) {
        Thing* thing = nullptr;
        const Status status = find(inner, handle, thing);
        return status == TWANG_OK ? f(inner, *thing) : status;
    });
}

// Assigns the value. Returns whether it differs from the old one, so that callers wake bodies only
// then: games set the same value in every frame, and sleeping bodies must stay asleep.
template <class T>
bool replace(T& old, const T& value) {
    if (old == value) return false;
    old = value;
    return true;
}

inline Status check_vertex(const Body& body, std::uint32_t vertex) {
    if (vertex < body.x.size()) return TWANG_OK;
    return fail(TWANG_INDEX_OUT_OF_RANGE, "vertex %u of %zu", vertex, body.x.size());
}

// Runs f(body, vertex in elimination order), after a check of the caller's vertex index.
template <class W, class F>
Status at_vertex(W* world, twang_body handle, std::uint32_t vertex, F&& f) {
    return inside<Body>(world, handle, [&](auto&, Body& body) {
        if (const Status s = check_vertex(body, vertex); s != TWANG_OK) return s;
        return f(body, body.model->to_inner[vertex]);
    });
}

inline Status check_count(const Body& body, std::size_t vertex_count) {
    if (vertex_count == body.x.size()) return TWANG_OK;
    return fail(TWANG_INVALID_ARGUMENT, "an array of %zu vertices for a body of %zu", vertex_count,
                body.x.size());
}

} // namespace twang::core
