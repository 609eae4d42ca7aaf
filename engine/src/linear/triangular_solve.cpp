// Substitution column by column, on one thread.
#include "linear/triangular_solve.hpp"

namespace twang::core {

void triangular_solve(const LowerFactor& lower, Vec3* b) {
    triangular_forward(lower, b);
    triangular_backward(lower, b);
}

void triangular_forward(const LowerFactor& lower, Vec3* b) {
    const int* start = lower.column_start.data();
    const int* rows = lower.rows.data();
    const double* values = lower.values.data();
    for (int column = 0; column < lower.n; ++column) {
        const Vec3 x = (1.0 / values[start[column]]) * b[column];
        b[column] = x;
        for (int k = start[column] + 1; k < start[column + 1]; ++k) b[rows[k]] -= values[k] * x;
    }
}

void triangular_backward(const LowerFactor& lower, Vec3* b) {
    const int* start = lower.column_start.data();
    const int* rows = lower.rows.data();
    const double* values = lower.values.data();
    for (int column = lower.n - 1; column >= 0; --column) {
        Vec3 x = b[column];
        for (int k = start[column] + 1; k < start[column + 1]; ++k) x -= values[k] * b[rows[k]];
        b[column] = (1.0 / values[start[column]]) * x;
    }
}

} // namespace twang::core
