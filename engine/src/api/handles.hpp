// The C border: what every entry point does before and after its work. Exceptions end here.
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

// Runs f() and turns whatever it throws into a status.
template <class F>
Status guarded(F&& f) noexcept {
    try {
        return f();
    } catch (const std::bad_alloc&) {
        return fail(TWANG_OUT_OF_MEMORY, "not enough memory");
    } catch (const std::length_error&) {
        return fail(TWANG_TOO_LARGE, "a size overflows");
    } catch (const std::system_error& e) { // no more threads
        return fail(TWANG_OUT_OF_MEMORY, "%s", e.what());
    } catch (const std::exception& e) {
        return fail(TWANG_INTERNAL, "%s", e.what());
    } catch (...) {
        return fail(TWANG_INTERNAL, "unknown exception");
    }
}

inline Status missing(const char* what) { return fail(TWANG_INVALID_ARGUMENT, "%s is null", what); }

// Runs f(world) alone in the world: BUSY when somebody is inside already.
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

// The same with one of its bodies or colliders.
template <class Thing, class W, class Handle, class F>
Status inside(W* world, Handle handle, F&& f) noexcept {
    return inside(world, [&](auto& inner) {
        Thing* thing = nullptr;
        const Status status = find(inner, handle, thing);
        return status == TWANG_OK ? f(inner, *thing) : status;
    });
}

// Takes over a value. Where it is another one, somebody has to wake: games say the same in every
// frame, and what sleeps sleeps on.
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

// Runs f(body, vertex in elimination order) after checking the caller's vertex.
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
