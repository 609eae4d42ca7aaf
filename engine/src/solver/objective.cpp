// g, its gradient and its Hessian: springs and inertia per vertex, then pins, grabs and contacts.
#include "solver/objective.hpp"

#include <cmath>

namespace twang::core {

namespace {

double vertex_energy(const Objective& o, std::size_t i, Vec3 position) {
    double energy = 0.0;
    if (o.weights) {
        const Vec3 offset = position - o.y[i];
        energy += 0.5 * o.weights[i] * dot(offset, offset);
    }
    if (o.forces) energy -= dot(o.forces[i], position);
    if (o.pins.holds(i)) {
        const Vec3 offset = position - o.pins.target(i);
        energy += 0.5 * o.system.pin_weights[i] * dot(offset, offset);
    }
    return energy;
}

Vec3 vertex_gradient(const Objective& o, std::size_t i, Vec3 position) {
    Vec3 gradient{};
    if (o.weights) gradient += o.weights[i] * (position - o.y[i]);
    if (o.forces) gradient -= o.forces[i];
    if (o.pins.holds(i)) gradient += o.system.pin_weights[i] * (position - o.pins.target(i));
    return gradient;
}

// N/m: inertia, shift times the mass, and the pin of vertex i.
double diagonal_stiffness(const Objective& o, std::size_t i, double shift) {
    const double inertia = o.weights ? o.weights[i] : 0.0;
    return inertia + shift * o.model.masses[i] + o.system.pin_weights[i];
}

// Gradient of the springs at vertex i, and half their energy: the other ends add the other half.
SpringGradient springs_gradient_at(const Objective& o, const Vec3* x, std::size_t i) {
    SpringGradient sum{};
    for (const Link* link = o.springs.links.begin(i); link != o.springs.links.end(i); ++link) {
        const SpringGradient spring = spring_gradient(o.energy, link->stiffness, link->rest_length,
                                                      x[i] - x[link->other], i < link->other);
        sum.gradient += spring.gradient;
        sum.energy += spring.energy;
    }
    sum.energy *= 0.5;
    return sum;
}

// Gradient and energy of vertices begin ... end - 1, in double and without pins: used where the
// fast kernel refuses a group because a spring has collapsed, and for Springs::exact.
double evaluate_group_in_double(const Objective& o, const Vec3* x, std::size_t begin,
                                std::size_t end, Float4* gradient) {
    double energy = 0.0;
    for (std::size_t i = begin; i < end; ++i) {
        const SpringGradient springs = springs_gradient_at(o, x, i);
        const Vec3 offset = x[i] - o.y[i], term = o.weights[i] * offset;
        const Vec3 sum = term + springs.gradient;
        gradient[i] = {static_cast<float>(sum.x), static_cast<float>(sum.y),
                       static_cast<float>(sum.z), 0.0f};
        energy += 0.5 * dot(offset, term) + springs.energy;
    }
    return energy;
}

double springs_energy_at(const SpringSet& springs, twang_energy energy, const Vec3* x,
                         std::size_t i) {
    double sum = 0.0;
    for (const Link* link = springs.links.begin(i); link != springs.links.end(i); ++link)
        sum += spring_energy(energy, link->stiffness, link->rest_length, x[i] - x[link->other]);
    return 0.5 * sum;
}

void add(Float4& sum, Vec3 v) {
    sum.x += static_cast<float>(v.x);
    sum.y += static_cast<float>(v.y);
    sum.z += static_cast<float>(v.z);
}
void add(Vec3& sum, Vec3 v) { sum += v; }

// Calls add(vertex, gradient) for each vertex of each grab; returns the energy of the grabs.
template <class Add>
double add_grab_gradients(const Objective& o, const Vec3* x, Add&& add) {
    double energy = 0.0;
    for (const Grab& grab : o.system.grabs()) {
        const Vec3 offset = grab.point(x) - grab.target, term = grab.stiffness * offset;
        energy += 0.5 * dot(offset, term);
        for (int k = 0; k < 3; ++k)
            if (!o.system.eliminates(grab.vertices[k]))
                add(grab.vertices[k], grab.weights[k] * term);
    }
    return energy;
}

// Adds the Hessian of the grabs times p to result; returns the part of p . result that this adds.
template <class V>
double add_grab_hessian_product(const Objective& o, const V* p, V* result) {
    double product = 0.0;
    for (const Grab& grab : o.system.grabs()) {
        Vec3 point{};
        for (int k = 0; k < 3; ++k)
            if (!o.system.eliminates(grab.vertices[k]))
                point += grab.weights[k] * widen(p[grab.vertices[k]]);
        for (int k = 0; k < 3; ++k)
            if (!o.system.eliminates(grab.vertices[k]))
                add(result[grab.vertices[k]], (grab.stiffness * grab.weights[k]) * point);
        product += grab.stiffness * dot(point, point);
    }
    return product;
}

} // namespace

double evaluate(const Objective& o, const Vec3* x, Vec3* gradient, Jobs& jobs, BlockSum& sum) {
    const double g = sum(jobs, o.model.vertex_count(), [&](std::size_t i) {
        const SpringGradient springs = springs_gradient_at(o, x, i);
        gradient[i] =
            o.system.eliminates(i) ? Vec3{} : vertex_gradient(o, i, x[i]) + springs.gradient;
        return vertex_energy(o, i, x[i]) + springs.energy;
    });
    return g + add_grab_gradients(o, x, [&](std::uint32_t i, Vec3 term) { gradient[i] += term; }) +
           (o.contacts ? o.contacts->add_gradient(x, gradient) : 0.0);
}

double evaluate(const Objective& o, const Vec3* x, Float4* gradient, Jobs& jobs, BlockSum& sum,
                Springs springs) {
    const GatherKernels& kernels = gather_kernels();
    const GatherInput input{o.springs.gather, x, o.y, o.weights};
    const std::size_t n = o.model.vertex_count();
    double g = sum.operator()<BlockSum::group_block>(jobs, (n + 7) / 8, [&](std::size_t group) {
        double energy;
        if (springs == Springs::exact || !kernels.gather(input, group, gradient, energy))
            energy =
                evaluate_group_in_double(o, x, 8 * group, std::min(n, 8 * group + 8), gradient);
        return energy;
    });
    for (const std::uint32_t i : o.pins.list()) {
        const double weight = o.system.pin_weights[i];
        const Vec3 offset = x[i] - o.pins.target(i), term = weight * offset;
        g += 0.5 * dot(offset, term);
        add(gradient[i], term);
        if (o.system.eliminates(i)) gradient[i] = {};
    }
    return g +
           add_grab_gradients(o, x, [&](std::uint32_t i, Vec3 term) { add(gradient[i], term); }) +
           (o.contacts ? o.contacts->add_gradient(x, gradient) : 0.0);
}

double value(const Objective& o, const Vec3* x, Jobs& jobs, BlockSum& sum) {
    const double g = sum(jobs, o.model.vertex_count(), [&](std::size_t i) {
        return vertex_energy(o, i, x[i]) + springs_energy_at(o.springs, o.energy, x, i);
    });
    return g + add_grab_gradients(o, x, [](std::uint32_t, Vec3) {}) +
           (o.contacts ? o.contacts->energy(x) : 0.0);
}

void compute_spring_hessians(const Objective& o, const Vec3* x, bool projected,
                             SpringHessian* curve, Jobs& jobs) {
    jobs.ranges(o.springs.springs.size(), BlockSum::block, [&](std::size_t begin, std::size_t end) {
        for (std::size_t s = begin; s < end; ++s) {
            const Spring& spring = o.springs.springs[s];
            curve[s] = spring_hessian(o.energy, spring.stiffness, spring.rest_length,
                                      x[spring.a] - x[spring.b], spring.a < spring.b);
            if (projected) curve[s] = curve[s].projected();
        }
    });
    if (o.contacts) o.contacts->linearise(x);
}

void hessian_times(const Objective& o, const SpringHessian* curve, double shift, const Vec3* p,
                   Vec3* result, Jobs& jobs) {
    const std::size_t n = o.model.vertex_count();
    jobs.ranges(n, BlockSum::block, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            if (o.system.eliminates(i)) {
                result[i] = p[i];
                continue;
            }
            Vec3 sum = diagonal_stiffness(o, i, shift) * p[i];
            for (const Link* link = o.springs.links.begin(i); link != o.springs.links.end(i);
                 ++link) {
                const Vec3 other = o.system.eliminates(link->other) ? Vec3{} : p[link->other];
                sum += curve[link->spring].times(p[i] - other);
            }
            result[i] = sum;
        }
    });
    add_grab_hessian_product(o, p, result);
    if (o.contacts) o.contacts->add_hessian_product(p, result);
}

void compute_spring_hessians(const Objective& o, const Vec3* x, HessianSlot* slots, Jobs& jobs) {
    const HessianKernels& kernels = hessian_kernels();
    jobs.ranges((o.model.vertex_count() + 7) / 8, BlockSum::group_block,
                [&](std::size_t begin, std::size_t end) {
                    for (std::size_t group = begin; group < end; ++group)
                        kernels.curve(o.springs.gather, x, group, slots);
                });
    if (o.contacts) o.contacts->linearise(x);
}

double hessian_times(const Objective& o, const HessianSlot* slots, const Float4* p, Float4* result,
                     Jobs& jobs, BlockSum& sum) {
    const HessianKernels& kernels = hessian_kernels();
    const HessianInput input{o.springs.gather, slots, o.weights, p};
    double product = sum.operator()<BlockSum::group_block>(
        jobs, (o.model.vertex_count() + 7) / 8,
        [&](std::size_t group) { return kernels.times(input, group, result); });
    for (const std::uint32_t i : o.pins.list()) {
        const Vec3 term = o.system.pin_weights[i] * widen(p[i]);
        product += dot(widen(p[i]), term);
        add(result[i], term);
        if (o.system.eliminates(i)) result[i] = {};
    }
    return product + add_grab_hessian_product(o, p, result) +
           (o.contacts ? o.contacts->add_hessian_product(p, result) : 0.0);
}

Pattern hessian_pattern(const Model& model) {
    Pattern pattern;
    const int n = static_cast<int>(model.vertex_count());
    pattern.n = 3 * n;
    pattern.column_start.assign(1, 0);
    for (int i = 0; i < n; ++i)
        for (int c = 0; c < 3; ++c) {
            for (int row = c; row < 3; ++row) pattern.rows.push_back(3 * i + row);
            for (int k = model.pattern.column_start[i] + 1; k < model.pattern.column_start[i + 1];
                 ++k)
                for (int row = 0; row < 3; ++row)
                    pattern.rows.push_back(3 * model.pattern.rows[k] + row);
            pattern.column_start.push_back(static_cast<int>(pattern.rows.size()));
        }
    return pattern;
}

void assemble_hessian(const Objective& o, const SpringHessian* curve, double shift,
                      const Pattern& pattern, double* values, Jobs& jobs) {
    const auto column = [&](std::size_t i) {
        double* out[3];
        for (int c = 0; c < 3; ++c) out[c] = values + pattern.column_start[3 * i + c] + 3 - c;
        const double own = diagonal_stiffness(o, i, shift);
        const bool eliminated = o.system.eliminates(i);
        Sym3 diagonal{own, 0.0, 0.0, own, 0.0, own};
        double stiffness = own;
        for (const Link* link = o.springs.links.begin(i); link != o.springs.links.end(i); ++link) {
            const Sym3 b = curve[link->spring].block();
            if (!eliminated) diagonal += b;
            stiffness += link->stiffness;
            if (link->other < i) continue;
            const double sign = eliminated || o.system.eliminates(link->other) ? 0.0 : -1.0;
            const double rows[3][3] = {{b.xx, b.xy, b.xz}, {b.xy, b.yy, b.yz}, {b.xz, b.yz, b.zz}};
            for (int c = 0; c < 3; ++c)
                for (int row = 0; row < 3; ++row) *out[c]++ = sign * rows[c][row];
        }
        // An eliminated vertex keeps a decoupled row, with a diagonal as large as its neighbours'.
        if (eliminated) diagonal = {stiffness, 0.0, 0.0, stiffness, 0.0, stiffness};
        double* d = values + pattern.column_start[3 * i];
        d[0] = diagonal.xx, d[1] = diagonal.xy, d[2] = diagonal.xz;
        d = values + pattern.column_start[3 * i + 1];
        d[0] = diagonal.yy, d[1] = diagonal.yz;
        d = values + pattern.column_start[3 * i + 2];
        d[0] = diagonal.zz;
    };
    jobs.ranges(o.model.vertex_count(), BlockSum::block, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) column(i);
    });
    // A grab couples vertices that may share no spring, for which the pattern has no entries. The
    // lumped Hessian is an upper bound of the exact one.
    for (const Grab& grab : o.system.grabs())
        for (int k = 0; k < 3; ++k)
            if (const std::size_t i = grab.vertices[k]; !o.system.eliminates(i))
                for (int c = 0; c < 3; ++c)
                    values[pattern.column_start[3 * i + c]] += grab.stiffness * grab.weights[k];
    if (!o.contacts) return;
    // Contacts are lumped in the same way, with the weight |w_k| sum |w| at vertex k of the point.
    o.contacts->for_each([&](const Contact& contact) {
        const Sym3& b = contact.curvature;
        const double rows[3][3] = {{b.xx, b.xy, b.xz}, {b.xy, b.yy, b.yz}, {b.xz, b.yz, b.zz}};
        const ContactPoint& point = contact.point;
        double sum = 0.0;
        for (int k = 0; k < point.count; ++k) sum += std::abs(point.weights[k]);
        for (int k = 0; k < point.count; ++k) {
            const std::size_t i = point.vertices[k];
            const double weight = sum * std::abs(point.weights[k]);
            for (int c = 0; c < 3; ++c)
                for (int row = c; row < 3; ++row)
                    values[pattern.column_start[3 * i + c] + row - c] += weight * rows[c][row];
        }
    });
}

} // namespace twang::core
