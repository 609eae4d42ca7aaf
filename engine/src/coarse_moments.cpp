#include "coarse_moments.hpp"

#include "coarse_moments_loop.hpp"
#include "machine.hpp"

namespace twang::core {

template <class Real>
MomentKernel plain_moments() {
    return gather_moments<Real>;
}
template MomentKernel plain_moments<float>();
template MomentKernel plain_moments<double>();

template <>
MomentKernel moment_kernel<float>() {
    static const MomentKernel chosen = machine_has_avx2() ? avx2_moments() : plain_moments<float>();
    return chosen;
}
template <>
MomentKernel moment_kernel<double>() {
    return plain_moments<double>();
}

} // namespace twang::core
