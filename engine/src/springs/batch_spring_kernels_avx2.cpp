// The batched local step for AVX2 and FMA, one body per lane.
#include "springs/batch_spring_kernels.hpp"

#if defined(__AVX2__) && defined(__FMA__)
#include <algorithm>

#include "base/avx2.hpp"
#include "base/lanes_avx2.hpp"

namespace twang::core {

namespace {

// Sums over the springs of one vertex.
struct SpringSums {
    Floats x, y, z;
    Floats twice_spring_energy; // 2 E
};

Floats difference(const double* a, const double* b) { return narrow(load_wide(a) - load_wide(b)); }

// Sums the springs of one vertex: lane `slot_lane` of each slot.
SpringSums add_springs(const BatchGatherInput& in, const LinkSlot* slot, const LinkSlot* end,
                       std::size_t slot_lane, const double* own, __m256& collapsed) {
    SpringSums sum{all(0.0f), all(0.0f), all(0.0f), all(0.0f)};
    const __m256 shortest = _mm256_set1_ps(min_square_length);
    for (; slot != end; ++slot) {
        if (slot->stiffness[slot_lane] == 0.0f) continue;
        const double* other = in.x + slot->other[slot_lane] / sizeof(Vec3) * vertex_stride;
        const Floats dx = difference(own, other), dy = difference(own + 8, other + 8),
                     dz = difference(own + 16, other + 16);
        const Floats square{square_of(dx.v, dy.v, dz.v)};
        collapsed = _mm256_or_ps(collapsed, _mm256_cmp_ps(square.v, shortest, _CMP_LT_OQ));
        const Floats inverse{inverse_root(_mm256_max_ps(square.v, shortest))};
        const Floats extension = square * inverse - all(slot->rest_length[slot_lane]);
        const Floats tension = all(slot->stiffness[slot_lane]) * extension;
        const Floats scale = tension * inverse;
        sum.x = add_product(sum.x, scale, dx);
        sum.y = add_product(sum.y, scale, dy);
        sum.z = add_product(sum.z, scale, dz);
        sum.twice_spring_energy = add_product(sum.twice_spring_energy, tension, extension);
    }
    return sum;
}

// Writes the gradients of a group of eight vertices and returns their energy.
WideDoubles gather_group(const BatchGatherInput& in, std::size_t group, float* gradient,
                         __m256& collapsed) {
    const LinkSlot* slot = in.lists.slots.data() + in.lists.start[group];
    const LinkSlot* end = in.lists.slots.data() + in.lists.start[group + 1];
    WideDoubles twice_energy[4];
    for (WideDoubles& part : twice_energy) part = all_wide(0.0);
    Floats twice_spring_energy[8];
    for (Floats& part : twice_spring_energy) part = all(0.0f);
    for (std::size_t slot_lane = 0; slot_lane < std::min<std::size_t>(8, in.n - 8 * group);
         ++slot_lane) {
        const std::size_t at = (8 * group + slot_lane) * vertex_stride;
        const SpringSums sums = add_springs(in, slot, end, slot_lane, in.x + at, collapsed);
        const Floats spring_sum[3] = {sums.x, sums.y, sums.z};
        const WideDoubles inertia = all_wide(in.inertia[8 * group + slot_lane]);
        for (int axis = 0; axis < 3; ++axis) {
            const std::size_t from = at + 8 * axis;
            const WideDoubles offset = load_wide(in.x + from) - load_wide(in.y + from);
            const WideDoubles inertia_gradient = inertia * offset;
            twice_energy[axis] = add_product(twice_energy[axis], offset, inertia_gradient);
            store(gradient + from, narrow(inertia_gradient + widen(spring_sum[axis])));
        }
        twice_spring_energy[slot_lane] = sums.twice_spring_energy;
    }
    for (int k = 0; k < 4; ++k)
        twice_energy[k] =
            add_product(twice_energy[k], all_wide(0.5),
                        widen(twice_spring_energy[k]) + widen(twice_spring_energy[k + 4]));
    return all_wide(0.5) *
           ((twice_energy[0] + twice_energy[1]) + (twice_energy[2] + twice_energy[3]));
}

} // namespace

unsigned batch_gather(const BatchGatherInput& in, float* gradient, double* energy) {
    const std::size_t groups = (in.n + 7) / 8;
    __m256 collapsed = _mm256_setzero_ps();
    WideDoubles total = all_wide(0.0);
    for (std::size_t first = 0; first < groups; first += gather_block) {
        WideDoubles sum = all_wide(0.0);
        for (std::size_t group = first; group < std::min(first + gather_block, groups); ++group)
            sum = sum + gather_group(in, group, gradient, collapsed);
        total = total + sum;
    }
    store(energy, total);
    return static_cast<unsigned>(_mm256_movemask_ps(collapsed));
}

} // namespace twang::core

#else

namespace twang::core {

// Built without AVX2; never called.
unsigned batch_gather(const BatchGatherInput&, float*, double*) { return 0; }

} // namespace twang::core

#endif
