// The methods of acceleration.hpp on blocks of flat arrays.
#include "solver/acceleration.hpp"

#include <algorithm>
#include <cmath>

namespace twang::core {

namespace {

constexpr std::size_t block = memory_block;
constexpr int lanes = memory_lanes;

// The assumed spectral radius of the unaccelerated iteration. Larger values suit stiff cloth better
// and blocks worse.
constexpr double spectral_radius = 0.99;
constexpr int unaccelerated_steps = 1; // before the Chebyshev weights apply

// Returns the sum of a_i b_i, in partial sums that the compiler can keep in vector registers.
template <class Real>
double block_product(const Real* a, const Real* b, std::size_t count) {
    Real sum[lanes] = {};
    std::size_t i = 0;
    for (; i + lanes <= count; i += lanes)
        for (int lane = 0; lane < lanes; ++lane) sum[lane] += a[i + lane] * b[i + lane];
    double total = 0.0;
    for (int lane = 0; lane < lanes; ++lane) total += sum[lane];
    for (; i < count; ++i) total += double(a[i]) * b[i];
    return total;
}

// Fills sums[0 .. count): f(begin, end, out) writes the sums of a block, and blocks are added in
// their order.
template <class F>
void sum_blocks(Jobs& jobs, std::size_t length, int count, std::vector<double>& parts, double* sums,
                F&& f) {
    jobs.ranges(length, block, [&](std::size_t begin, std::size_t end) {
        for (std::size_t at = begin; at < end; at += block)
            f(at, std::min(at + block, end), &parts[at / block * count]);
    });
    std::fill(sums, sums + count, 0.0);
    for (std::size_t b = 0; b < (length + block - 1) / block; ++b)
        for (int k = 0; k < count; ++k) sums[k] += parts[b * count + k];
}

// Solves the small symmetric system a x = b by Cholesky, in place. Linearly dependent directions
// get the coefficient 0.
void solve_small(double (*a)[Mix::most], double* b, int count) {
    double max_diagonal = 0.0;
    for (int i = 0; i < count; ++i) max_diagonal = std::max(max_diagonal, a[i][i]);
    const double min_pivot = 1e-10 * max_diagonal;
    for (int j = 0; j < count; ++j) {
        for (int k = 0; k < j; ++k) a[j][j] -= a[j][k] * a[j][k];
        if (!(a[j][j] > min_pivot)) { // depends on the earlier directions: x_j = 0
            a[j][j] = INFINITY;
            for (int i = j + 1; i < count; ++i) a[i][j] = 0.0;
            continue;
        }
        a[j][j] = std::sqrt(a[j][j]);
        for (int i = j + 1; i < count; ++i) {
            for (int k = 0; k < j; ++k) a[i][j] -= a[i][k] * a[j][k];
            a[i][j] /= a[j][j];
        }
    }
    for (int i = 0; i < count; ++i) {
        for (int k = 0; k < i; ++k) b[i] -= a[i][k] * b[k];
        b[i] /= a[i][i];
    }
    for (int i = count - 1; i >= 0; --i) {
        for (int k = i + 1; k < count; ++k) b[i] -= a[k][i] * b[k];
        b[i] /= a[i][i];
    }
}

} // namespace

void MemoryProducts::drop_oldest() {
    --count_;
    for (int i = 0; i < count_; ++i) {
        sg_[i] = sg_[i + 1], zg_[i] = zg_[i + 1];
        for (int j = 0; j < count_; ++j)
            sy_[i][j] = sy_[i + 1][j + 1], yz_[i][j] = yz_[i + 1][j + 1];
    }
}

bool MemoryProducts::learn(const double* sums) {
    const int n = count_;
    for (int i = 0; i < n; ++i) {
        sy_[i][n] = sums[2 * i] - sg_[i];
        yz_[i][n] = yz_[n][i] = sums[2 * i + 1] - zg_[i];
    }
    for (int i = 0; i <= n; ++i) sg_[i] = sums[2 * i], zg_[i] = sums[2 * i + 1];
    sy_[n][n] = sums[2 * n + 2];
    yz_[n][n] = sums[2 * n + 3];
    // The update needs positive curvature along s; otherwise only the earlier steps are kept.
    if (!(sy_[n][n] > 0.0 && yz_[n][n] > 0.0)) return false;
    ++count_;
    return true;
}

// The compact form H g = q + S u - Z t with R t = S^T g, R^T u = (D + Y^T Z) t - Z^T g, where R is
// the upper triangle of S^T Y and D the diagonal of R.
Mix MemoryProducts::lbfgs() const {
    Mix mix;
    mix.count = count_;
    double* t = mix.z;
    double* u = mix.s;
    for (int i = count_ - 1; i >= 0; --i) {
        t[i] = sg_[i];
        for (int j = i + 1; j < count_; ++j) t[i] -= sy_[i][j] * t[j];
        t[i] /= sy_[i][i];
    }
    for (int i = 0; i < count_; ++i) {
        u[i] = sy_[i][i] * t[i] - zg_[i];
        for (int j = 0; j < count_; ++j) u[i] += yz_[i][j] * t[j];
    }
    for (int i = 0; i < count_; ++i) {
        for (int j = 0; j < i; ++j) u[i] -= sy_[j][i] * u[j];
        u[i] /= sy_[i][i];
    }
    for (int i = 0; i < count_; ++i) u[i] = -u[i];
    return mix;
}

template <class Real>
Memory<Real>::Memory(std::size_t length)
    : length_(length),
      s_(Mix::most * length),
      z_(Mix::most * length),
      parts_((length / block + 1) * (2 * Mix::most + 3)) {}

template <class Real>
void Memory<Real>::remember(const Real* step, const Real* g, const Real* g_old, const Real* q,
                            const Real* q_old, Jobs& jobs) {
    if (products_.count() == Mix::most) {
        first_ = (first_ + 1) % Mix::most;
        products_.drop_oldest();
    }
    const int n = products_.count();
    Real* s_new = s(n);
    Real* z_new = z(n);
    // Products with g of every s and z, the new ones included, and of the new s and the new z with
    // the change of g.
    double sums[2 * Mix::most + 2];
    sum_blocks(jobs, length_, 2 * n + 4, parts_, sums,
               [&](std::size_t begin, std::size_t end, double* out) {
                   const std::size_t count = end - begin;
                   Real change[block];
                   for (std::size_t i = 0; i < count; ++i) {
                       s_new[begin + i] = step[begin + i];
                       z_new[begin + i] = q[begin + i] - q_old[begin + i];
                       change[i] = g[begin + i] - g_old[begin + i];
                   }
                   for (int i = 0; i <= n; ++i) {
                       out[2 * i] = block_product(s(i) + begin, g + begin, count);
                       out[2 * i + 1] = block_product(z(i) + begin, g + begin, count);
                   }
                   out[2 * n + 2] = block_product(s_new + begin, change, count);
                   out[2 * n + 3] = block_product(z_new + begin, change, count);
               });
    products_.learn(sums);
}

template <class Real>
Mix Memory<Real>::mix(twang_acceleration method, const Real* q, Jobs& jobs) {
    switch (method) {
    case TWANG_ACCELERATION_CHEBYSHEV: return chebyshev();
    case TWANG_ACCELERATION_ANDERSON: return anderson(q, jobs);
    case TWANG_ACCELERATION_LBFGS:
    case TWANG_ACCELERATION_TWO_LEVEL: return products_.lbfgs();
    case TWANG_ACCELERATION_NONE: break;
    }
    return {};
}

template <class Real>
Mix Memory<Real>::anderson(const Real* q, Jobs& jobs) {
    Mix mix;
    const int n = mix.count = products_.count();
    double sums[Mix::most * (Mix::most + 1)], gram[Mix::most][Mix::most];
    for (int row = 0; row < n; ++row) { // z_row . q, then z_row . z_i for i <= row
        double line[Mix::most + 1];
        sum_blocks(jobs, length_, row + 2, parts_, line,
                   [&](std::size_t begin, std::size_t end, double* out) {
                       out[0] = block_product(z(row) + begin, q + begin, end - begin);
                       for (int i = 0; i <= row; ++i)
                           out[i + 1] = block_product(z(row) + begin, z(i) + begin, end - begin);
                   });
        sums[row] = line[0];
        for (int i = 0; i <= row; ++i) gram[row][i] = line[i + 1];
    }
    solve_small(gram, sums, n);
    for (int i = 0; i < n; ++i) mix.s[i] = -sums[i], mix.z[i] = sums[i];
    return mix;
}

template <class Real>
Mix Memory<Real>::chebyshev() {
    Mix mix;
    ++step_;
    omega_ = step_ <= unaccelerated_steps ? 1.0
             : step_ == unaccelerated_steps + 1
                 ? 2.0 / (2.0 - spectral_radius * spectral_radius)
                 : 4.0 / (4.0 - spectral_radius * spectral_radius * omega_);
    mix.q = omega_;
    if (products_.count() > 0) {
        mix.count = products_.count();
        mix.s[mix.count - 1] = omega_ - 1.0;
    }
    return mix;
}

template <class Real>
void Memory<Real>::combine(const Mix& mix, const Real* q, Real* p, Jobs& jobs) const {
    jobs.ranges(length_, block, [&](std::size_t begin, std::size_t end) {
        const Real c = static_cast<Real>(-mix.q);
        for (std::size_t at = begin; at < end; at += block) {
            const std::size_t last = std::min(at + block, end);
            for (std::size_t i = at; i < last; ++i) p[i] = c * q[i];
            for (int k = 0; k < mix.count; ++k) {
                const Real a = static_cast<Real>(mix.s[k]), b = static_cast<Real>(mix.z[k]);
                const Real* sk = s(k);
                const Real* zk = z(k);
                for (std::size_t i = at; i < last; ++i) p[i] += a * sk[i] + b * zk[i];
            }
        }
    });
}

template class Memory<float>;
template class Memory<double>;

} // namespace twang::core
