// Acceleration of local-global: better steps from the same corrections. With q = Q^-1 grad g, the
// unaccelerated iteration moves x by -q. An accelerated step is
//   p = -c q + sum_i a_i s_i + b_i z_i,
// where s_i are the last steps, z_i the changes of q and y_i the changes of grad g in these steps.
// The methods differ only in c, a and b:
//   chebyshev  semi-iterative weights for an assumed spectral radius (Wang 2015)
//   anderson   least squares over the z_i (Anderson 1965; Peng et al. 2018)
//   lbfgs      the inverse BFGS update of Q^-1 in compact form (Byrd, Nocedal, Schnabel 1994);
//              z_i = Q^-1 y_i is known, so that no further solves are needed
// two-level is lbfgs with the coarse correction added to q, see system/coarse.hpp. Arrays are flat
// arrays of Real: xyz0 per vertex in float, xyz per vertex in double.
#pragma once

#include <vector>

#include "solver/objective.hpp"

namespace twang::core {

// The coefficients of a step p.
struct Mix {
    static constexpr int most = 5;     // steps remembered
    int count = 0;                     // steps in s and z, oldest first
    double q = 1.0;                    // c
    double s[most] = {}, z[most] = {}; // a_i and b_i
};

// Long sums are taken in blocks of memory_block numbers, and within a block in memory_lanes partial
// sums, each of every memory_lanes-th number.
inline constexpr std::size_t memory_block = 2048;
inline constexpr int memory_lanes = 16;

// The dot products from which L-BFGS computes a Mix; the steps themselves are in Memory.
class MemoryProducts {
public:
    int count() const { return count_; }
    void forget() { count_ = 0; }
    void drop_oldest();
    // Adds a step. `sums`, with n = count(): s_i . g and z_i . g in turn for i = 0 ... n, then
    // s_n . y_n and z_n . y_n. Returns false, and keeps only the earlier steps, where the step has
    // no positive curvature, which the BFGS update needs.
    bool learn(const double* sums);
    Mix lbfgs() const;

private:
    int count_ = 0;
    double sg_[Mix::most] = {}, zg_[Mix::most] = {}; // s_i . g and z_i . g, g the newest gradient
    double sy_[Mix::most][Mix::most] = {};           // s_i . y_j for i <= j
    double yz_[Mix::most][Mix::most] = {};           // y_i . z_j
};

// The last steps of a solve and the methods that combine these steps with a correction.
template <class Real>
class Memory {
public:
    Memory() = default;
    explicit Memory(std::size_t length);
    // Sets the length of all arrays, at most the constructor's, and forgets all steps.
    void use(std::size_t length) { forget(), length_ = length; }

    void forget() { products_.forget(), step_ = 0; }
    // Adds the step s, which changed the gradient from g_old to g and the correction from q_old
    // to q.
    void remember(const Real* s, const Real* g, const Real* g_old, const Real* q, const Real* q_old,
                  Jobs& jobs);
    // Returns the coefficients of the next step, from the newest gradient and the correction q.
    Mix mix(twang_acceleration method, const Real* q, Jobs& jobs);
    // p := -c q + sum_i a_i s_i + b_i z_i
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
    std::vector<double> parts_; // partial sums, by block
    int first_ = 0;
    MemoryProducts products_;
    int step_ = 0;       // of the Chebyshev recurrence
    double omega_ = 1.0; // the weight of the Chebyshev recurrence
};

extern template class Memory<float>;
extern template class Memory<double>;

} // namespace twang::core
