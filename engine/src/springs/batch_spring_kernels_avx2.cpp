#include "springs/batch_spring_kernels.hpp"

#if defined(__AVX2__) && defined(__FMA__)
#include <algorithm>

#include "base/avx2.hpp"
#include "base/lanes_avx2.hpp"

namespace twang::core {

namespace {

struct Pulls {
    Floats x, y, z;
    Floats doubled; // twice the springs' energy
};

Floats difference(const double* a, const double* b) { return narrow(load_wide(a) - load_wide(b)); }

// Of the springs at one vertex, the `place`-th of its eight.
Pulls add_springs(const SideGatherInput& in, const LinkSlot* slot, const LinkSlot* end,
                  std::size_t place, const double* own, __m256& collapsed) {
    Pulls sum{all(0.0f), all(0.0f), all(0.0f), all(0.0f)};
    const __m256 shortest = _mm256_set1_ps(shortest_square);
    for (; slot != end; ++slot) {
        if (slot->stiffness[place] == 0.0f) continue;
        const double* other = in.x + slot->other[place] / sizeof(Vec3) * vertex_stride;
        const Floats dx = difference(own, other), dy = difference(own + 8, other + 8),
                     dz = difference(own + 16, other + 16);
        const Floats square{square_of(dx.v, dy.v, dz.v)};
        collapsed = _mm256_or_ps(collapsed, _mm256_cmp_ps(square.v, shortest, _CMP_LT_OQ));
        const Floats inverse{inverse_root(_mm256_max_ps(square.v, shortest))};
        const Floats extension = square * inverse - all(slot->rest_length[place]);
        const Floats pull = all(slot->stiffness[place]) * extension;
        const Floats scale = pull * inverse;
        sum.x = add_product(sum.x, scale, dx);
        sum.y = add_product(sum.y, scale, dy);
        sum.z = add_product(sum.z, scale, dz);
        sum.doubled = add_product(sum.doubled, pull, extension);
    }
    return sum;
}

WideDoubles gather_group(const SideGatherInput& in, std::size_t group, float* gradient,
                         __m256& collapsed) {
    const LinkSlot* slot = in.lists.slots.data() + in.lists.start[group];
    const LinkSlot* end = in.lists.slots.data() + in.lists.start[group + 1];
    WideDoubles work[4];
    for (WideDoubles& part : work) part = all_wide(0.0);
    Floats doubled[8];
    for (Floats& part : doubled) part = all(0.0f);
    for (std::size_t place = 0; place < std::min<std::size_t>(8, in.n - 8 * group); ++place) {
        const std::size_t at = (8 * group + place) * vertex_stride;
        const Pulls pulls = add_springs(in, slot, end, place, in.x + at, collapsed);
        const Floats pull[3] = {pulls.x, pulls.y, pulls.z};
        const WideDoubles inertia = all_wide(in.inertia[8 * group + place]);
        for (int axis = 0; axis < 3; ++axis) {
            const std::size_t from = at + 8 * axis;
            const WideDoubles off = load_wide(in.x + from) - load_wide(in.y + from);
            const WideDoubles back = inertia * off;
            work[axis] = add_product(work[axis], off, back);
            store(gradient + from, narrow(back + widen(pull[axis])));
        }
        doubled[place] = pulls.doubled;
    }
    for (int k = 0; k < 4; ++k)
        work[k] = add_product(work[k], all_wide(0.5), widen(doubled[k]) + widen(doubled[k + 4]));
    return all_wide(0.5) * ((work[0] + work[1]) + (work[2] + work[3]));
}

} // namespace

unsigned side_gather(const SideGatherInput& in, float* gradient, double* energy) {
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

// Built for a machine without these instructions: nothing comes here.
unsigned side_gather(const SideGatherInput&, float*, double*) { return 0; }

} // namespace twang::core

#endif
