// Better steps from the same corrections. With q = Q^-1 grad g, plain local-global steps by -q.
// Here
//   p = -c q + sum_i a_i s_i + b_i z_i
// from the last steps s_i and the changes z_i they made to q; the methods differ in c, a and b
// alone:
//   chebyshev  semi-iterative weights for an assumed spectral radius (Wang 2015)
//   anderson   least squares over the z_i (Anderson 1965; Peng et al. 2018)
//   lbfgs      the inverse BFGS update of Q^-1 in compact form (Byrd, Nocedal, Schnabel 1994);
//              z_i = Q^-1 (change of the gradient) makes it free of further solves
// two-level is lbfgs on a better q; see coarse.hpp. Works on flat arrays of Real: xyz0 in float or
// xyz in double.
#pragma once

#include <vector>

#include "solver/objective.hpp"

namespace twang::core {

struct Mix {
    static constexpr int most = 5; // steps remembered
    int count = 0;                 // oldest first
    double q = 1.0;                // c
    double s[most] = {}, z[most] = {};
};

// How the long sums are taken: in blocks of so many numbers, so many of them apart.
inline constexpr std::size_t memory_block = 2048;
inline constexpr int memory_lanes = 16;

// The products that make a mix of the last steps, without the steps themselves.
class MemoryProducts {
public:
    int count() const { return count_; }
    void forget() { count_ = 0; }
    void drop_oldest();
    // With n = count(), of s_i . g and z_i . g for i = 0 ... n in turn, s_n . y_n and z_n . y_n.
    // Counts the step; false where that would break the update, and the others are kept as they
    // are.
    bool learn(const double* sums);
    Mix lbfgs() const;

private:
    int count_ = 0;
    double sg_[Mix::most] = {}, zg_[Mix::most] = {}; // products with the newest gradient
    double sy_[Mix::most][Mix::most] = {};           // s_i . y_j for i <= j
    double yz_[Mix::most][Mix::most] = {};           // y_i . z_j
};

template <class Real>
class Memory {
public:
    Memory() = default;
    explicit Memory(std::size_t length);
    // For arrays of this length, at most the constructor's, from now on.
    void use(std::size_t length) { forget(), length_ = length; }

    void forget() { products_.forget(), step_ = 0; }
    // The step s that led from gradient g_old, correction q_old to g, q.
    void remember(const Real* s, const Real* g, const Real* g_old, const Real* q, const Real* q_old,
                  Jobs& jobs);
    // For the next step, at gradient g and correction q.
    Mix mix(twang_acceleration method, const Real* q, Jobs& jobs);
    // p = -c q + ...
    void combine(const Mix& mix, const Real* q, Real* p, Jobs& jobs) const;

private:
    Mix anderson(const Real* q, Jobs& jobs);
    Mix chebyshev();
    Real* s(int i) { return s_.data() + ((first_ + i) % Mix::most) * length_; }
    Real* z(int i) { return z_.data() + ((first_ + i) % Mix::most) * length_; }
    const Real* s(int i) const { return const_cast<Memory*>(this)->s(i); }
    const Real* z(int i) const { return const_cast<Memory*>(this)->z(i); }

    std::size_t length_ = 0;
    AlignedArray<Real> s_, z_;
    std::vector<double> parts_; // of sums, by block
    int first_ = 0;
    MemoryProducts products_;
    int step_ = 0; // Chebyshev's
    double omega_ = 1.0;
};

extern template class Memory<float>;
extern template class Memory<double>;

} // namespace twang::core
