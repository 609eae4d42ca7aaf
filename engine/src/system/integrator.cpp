// Coefficients of the integrators, a reproducible exponential, and the start of a history.
#include "system/integrator.hpp"

#include <algorithm>
#include <cmath>

namespace twang::core {

double largest_a(twang_integrator integrator) { return integrator == TWANG_BDF2 ? 1.0 / 3.0 : 0.0; }

double a_of(twang_integrator integrator, double numerical_damping) {
    return (1.0 - numerical_damping) * largest_a(integrator);
}

double exp_minus(double x) {
    const int halvings = x > 0.5 ? std::max(0, std::ilogb(x) + 2) : 0;
    if (halvings > 12) return 0.0;
    const double r = std::ldexp(x, -halvings);
    double sum = 1.0; // Taylor's series by Horner, to 1e-17 for r <= 1/2
    for (int k = 14; k > 0; --k) sum = 1.0 - r / k * sum;
    for (int k = 0; k < halvings; ++k) sum *= sum;
    return sum;
}

void History::begin(const VertexArray<Vec3>& v, double h) {
    for (std::size_t i = 0; i < v.size(); ++i) displacement[i] = h * v[i];
    velocity = v;
}

void History::forget() {
    std::fill(displacement.begin(), displacement.end(), Vec3{});
    std::fill(velocity.begin(), velocity.end(), Vec3{});
    std::fill(contact.begin(), contact.end(), ContactForce{});
    points.clear();
    time_step = 0.0;
    touched = false;
}

} // namespace twang::core
