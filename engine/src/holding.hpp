// Keeps a correction to what some vertices are barred from. With E the directions that are barred,
//   q := q + Q^-1 E r  such that  E^T q = w,
// the least change in the norm of Q. The forces r come from conjugate gradients on E^T Q^-1 E,
// preconditioned by E^T Q E, whose solves visit only what the barred vertices depend on; then they
// are spread over the body at once. What is left over is cut off, vertex by vertex.
#pragma once

#include <span>
#include <vector>

#include "objective.hpp"

namespace twang::core {

// How a body answers forces.
struct Elastic {
    const SpringSet& springs;
    const LiveSystem& system;
    const double* weights; // mass / h^2
    SolveScratch& solve;
    Jobs& jobs;
};

// A vertex that may not move along a normal, or not at all.
struct Barred {
    std::uint32_t vertex;
    bool fully;
    Vec3 normal;
    Vec3 way;     // in: of w; what is not barred of it does not count
    Vec3 force{}; // out: of r

    Vec3 part(Vec3 v) const { return fully ? v : dot(v, normal) * normal; }
};

class Holding {
public:
    // Room for a body of n vertices, so many links and its system; allocates the first time only.
    void fit(std::size_t n, std::size_t links, bool is_float);
    // Before the first correction of a step. The others need no more accuracy than that.
    void start();
    // No vertex may be barred twice.
    template <class V>
    void hold(const Elastic& body, std::span<Barred> barred, VertexArray<V>& q);

private:
    static constexpr std::uint32_t none = 0xFFFFFFFFu;
    struct Coupling {
        std::uint32_t other;
        float stiffness;
    };
    void couple(const Elastic& body, std::span<const Barred> barred);
    void times_q(const Elastic& body, std::span<const Barred> barred);
    double residual_square(const Elastic& body);
    template <class V>
    VertexArray<V>& reply();
    // Q^-1 of forces, f(barred vertex); on the paths alone or everywhere.
    template <class V, class F>
    const VertexArray<V>& respond(const Elastic& body, std::span<const Barred> barred, F&& f,
                                  const PanelPaths* paths);

    std::vector<std::uint32_t> vertices_; // that were coupled last, in this step
    std::vector<std::uint32_t> place_;    // of a vertex among them
    std::vector<double> diagonal_;        // of E^T Q E
    std::vector<std::uint32_t> first_;    // of the couplings of each
    std::vector<Coupling> couplings_;
    PanelPaths paths_;
    std::vector<Vec3> residual_, search_, precond_;
    VertexArray<Float4> float_reply_; // in the numbers the system is stored in
    VertexArray<Vec3> double_reply_;
    BlockSum sum_{0};
    double first_square_ = 0.0; // of the first residual of the step; 0: none yet
};

} // namespace twang::core
