// The panel loops in plain C++, for any machine.
#include <bit>
#include <cmath>

#include "panel_kernels.hpp"

namespace twang::core {

namespace {

float from_half(std::uint16_t half) {
    const std::uint32_t sign = std::uint32_t(half & 0x8000u) << 16;
    const std::uint32_t rest = half & 0x7fffu;
    if (rest < 0x0400u)
        return std::copysign(static_cast<float>(rest) * 0x1p-24f, sign ? -1.0f : 1.0f);
    return std::bit_cast<float>(sign | ((rest << 13) + (112u << 23)));
}

template <class StoredType, class RealType>
struct PlainOps {
    using Stored = StoredType;
    using Real = RealType;
    struct Pack {
        Real lane[8];
    };
    struct Three {
        Pack x, y, z;
    };
    template <class F>
    static Pack make(F&& f) {
        Pack pack;
        for (int i = 0; i < 8; ++i) pack.lane[i] = f(i);
        return pack;
    }
    static Pack zero() {
        return make([](int) { return Real{0}; });
    }
    static Pack load_real(const Real* p) {
        return make([&](int i) { return p[i]; });
    }
    template <class Value>
    static Pack load(const Value* p) {
        if constexpr (std::is_same_v<Value, std::uint16_t>)
            return make([&](int i) { return from_half(p[i]); });
        else
            return load_real(p);
    }
    static Pack broadcast(const Real* p) {
        return make([&](int) { return *p; });
    }
    static Pack multiply_add(const Pack& a, const Pack& b, const Pack& c) {
        return make([&](int i) { return a.lane[i] * b.lane[i] + c.lane[i]; });
    }
    static Pack add(const Pack& a, const Pack& b) {
        return make([&](int i) { return a.lane[i] + b.lane[i]; });
    }
    static Pack sums(const Pack* packs) {
        return make([&](int i) {
            const Real* l = packs[i].lane;
            return ((l[0] + l[1]) + (l[2] + l[3])) + ((l[4] + l[5]) + (l[6] + l[7]));
        });
    }
    static void add_to_rows(const Three& sum, const std::int32_t* rows, Real* v) {
        for (int i = 0; i < 8; ++i) {
            Real* to = v + 4 * std::size_t(rows[i]);
            to[0] += sum.x.lane[i], to[1] += sum.y.lane[i], to[2] += sum.z.lane[i];
        }
    }
    static void read_rows(const std::int32_t* rows, const Real* v, Real* out) {
        for (int i = 0; i < 8; ++i)
            for (int axis = 0; axis < 3; ++axis)
                out[8 * axis + i] = v[4 * std::size_t(rows[i]) + axis];
    }
    static void write_columns(const Three& sum, Real* out) {
        for (int i = 0; i < 8; ++i, out += 4)
            out[0] = sum.x.lane[i], out[1] = sum.y.lane[i], out[2] = sum.z.lane[i], out[3] = 0;
    }
};

} // namespace

template <class Stored, class Real>
PanelKernels<Stored, Real> plain_kernels() {
    using Loops = PanelLoops<PlainOps<Stored, Real>>;
    return {Loops::forward, Loops::backward};
}

template PanelKernels<float, float> plain_kernels();
template PanelKernels<double, double> plain_kernels();
template PanelKernels<std::uint16_t, float> plain_kernels();

} // namespace twang::core
