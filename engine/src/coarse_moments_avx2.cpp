// The moments for AVX2 and FMA; compiled with those on, called only where the machine has them.
#include "coarse_moments_loop.hpp"

namespace twang::core {

MomentKernel avx2_moments() { return gather_moments<float>; }

} // namespace twang::core
