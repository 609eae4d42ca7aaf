// The panel loops in portable C++, for any CPU.
#include <bit>
#include <cmath>

#include "linear/supernodal_kernels.hpp"

namespace twang::core {

namespace {

// Converts a finite half to float, subnormals included.
float from_half(std::uint16_t half) {
    const std::uint32_t sign = std::uint32_t(half & 0x8000u) << 16;
    const std::uint32_t rest = half & 0x7fffu;
    if (rest < 0x0400u)
        return std::copysign(static_cast<float>(rest) * 0x1p-24f, sign ? -1.0f : 1.0f);
    return std::bit_cast<float>(sign | ((rest << 13) + (112u << 23)));
}

template <class Real, int Lanes>
struct ScalarPack {
    static constexpr int lanes = Lanes;
    Real lane[Lanes];

    template <class F>
    static ScalarPack make(F&& f) {
        ScalarPack pack;
        for (int i = 0; i < Lanes; ++i) pack.lane[i] = f(i);
        return pack;
    }
    static ScalarPack zero() {
        return make([](int) { return Real{0}; });
    }
    template <class Value>
    static ScalarPack load(const Value* p) {
        if constexpr (std::is_same_v<Value, std::uint16_t>)
            return make([&](int i) { return from_half(p[i]); });
        else
            return make([&](int i) { return p[i]; });
    }
    static ScalarPack broadcast(const Real* p) {
        return make([&](int) { return *p; });
    }
    friend ScalarPack multiply_add(const ScalarPack& a, const ScalarPack& b, const ScalarPack& c) {
        return make([&](int i) { return a.lane[i] * b.lane[i] + c.lane[i]; });
    }
};

template <class StoredType, class RealType>
struct ScalarOps {
    using Stored = StoredType;
    using Real = RealType;
    using Wide = ScalarPack<Real, 16>;
    using Narrow = ScalarPack<Real, 8>;
    static constexpr int columns_at_once = 1;

    static void add_tail(Wide& sum, const Narrow& a, const Narrow& b) {
        for (int i = 0; i < 8; ++i) sum.lane[i] = a.lane[i] * b.lane[i] + sum.lane[i];
    }
    template <class Pack>
    static void add_lane(const Axes<Pack>& sum, int i, Real* to) {
        to[0] += sum.x.lane[i], to[1] += sum.y.lane[i], to[2] += sum.z.lane[i];
    }
    static void add_to_rows(const Axes<Narrow>& sum, const std::int32_t* rows, Real* v) {
        for (int i = 0; i < 8; ++i) add_lane(sum, i, v + rows[i]);
    }
    static void add_to_rows(const Axes<Wide>& sum, const std::int32_t* rows, Real* v, Real* w) {
        for (int i = 0; i < 16; ++i) add_lane(sum, i, (i < 8 ? v : w) + rows[i]);
    }
    template <class Pack>
    static void read_rows(const std::int32_t* rows, const Real* v, Real* out) {
        for (int i = 0; i < Pack::lanes; ++i)
            for (int axis = 0; axis < 3; ++axis) out[Pack::lanes * axis + i] = v[rows[i] + axis];
    }
    template <class Pack>
    static void read_columns(const Real* v, Real* out) {
        for (int i = 0; i < Pack::lanes; ++i)
            for (int axis = 0; axis < 3; ++axis) out[Pack::lanes * axis + i] = v[4 * i + axis];
    }
    // In the order of the AVX2 kernel.
    static Real sum_of(const Wide& a) {
        Real h[8];
        for (int i = 0; i < 8; ++i) h[i] = a.lane[i] + a.lane[i + 8];
        return ((h[0] + h[2]) + (h[1] + h[3])) + ((h[4] + h[6]) + (h[5] + h[7]));
    }
    template <int Count>
    static void write_columns(const Axes<Wide>* sum, Real* out) {
        for (int k = 0; k < Count; ++k, out += 4)
            out[0] = sum_of(sum[k].x), out[1] = sum_of(sum[k].y), out[2] = sum_of(sum[k].z),
            out[3] = 0;
    }
};

} // namespace

template <class Stored, class Real>
PanelKernels<Stored, Real> scalar_kernels() {
    using Loops = PanelLoops<ScalarOps<Stored, Real>>;
    return {Loops::forward, Loops::backward};
}

template PanelKernels<float, float> scalar_kernels();
template PanelKernels<double, double> scalar_kernels();
template PanelKernels<std::uint16_t, float> scalar_kernels();

} // namespace twang::core
