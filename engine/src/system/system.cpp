// Assembly and factor of Q, and the precision in which the factor can be trusted.
#include "system/system.hpp"

#include <chrono>
#include <cmath>
#include <limits>

#include "base/cpu.hpp"
#include "linear/triangular_solve.hpp"
#include "springs/spring.hpp"
#include "system/integrator.hpp"

namespace twang::core {

namespace {

using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point begin) {
    return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

// Weight of a pin, relative to the vertex's own diagonal in Q. The springs of the vertex load the
// pin: stretched by the body's whole size, they move the vertex by 1e-7 of that size at this
// weight, and the documented bound is 1e-6. A much larger weight would waste digits, a much smaller
// one would be visible.
constexpr double relative_pin_weight = 1e7;

// Returns the values of Q. An eliminated vertex keeps its row, decoupled from all other rows, so
// that the pattern stays the model's.
std::vector<double> assemble(const SystemKey& key, const std::vector<double>& diagonal) {
    const Model& model = *key.model;
    const double curvature = rest_curvature(key.energy);
    const auto cut = [&](std::size_t vertex) {
        return key.method == TWANG_PIN_ELIMINATION && key.held[vertex];
    };
    std::vector<double> values;
    values.reserve(model.pattern.rows.size());
    for (std::size_t i = 0; i < model.vertex_count(); ++i) {
        values.push_back(diagonal[i]);
        for (const Link* link = model.links.begin(i); link != model.links.end(i); ++link)
            if (link->other > i)
                values.push_back(cut(i) || cut(link->other) ? 0.0
                                                            : -curvature * key.stiffness_of(*link));
    }
    return values;
}

// Errors of test solves with known solutions.
struct SolveErrors {
    double translation = 0.0; // of a translation by 1: resisted by inertia and pins only
    double alternating = 0.0; // of alternating moves by 1: drift of the body, ideally 0
};

constexpr double unstable_error = std::numeric_limits<double>::infinity();

// Test displacement of a vertex. x is a translation; y alternates from vertex to vertex, z changes
// sign at random: the stiffest moves there are.
Vec3 test_move(const Model& model, std::size_t i) {
    const std::uint32_t user = model.to_user[i];
    return {1.0, user % 2 ? 1.0 : -1.0, hash_mix(0, user) % 2 ? 1.0 : -1.0};
}

// Returns Q times the test displacements. In x, spring terms that cancel are left out, not
// subtracted.
std::vector<Vec3> test_loads(const System& system) {
    const Model& model = *system.key.model;
    const double square = inertia_square(system.key), curvature = rest_curvature(system.key.energy);
    std::vector<Vec3> loads(model.vertex_count());
    for (std::size_t i = 0; i < loads.size(); ++i) {
        const Vec3 move = test_move(model, i);
        Vec3 sum = (model.masses[i] / square + system.pin_weights[i]) * move;
        for (const Link* link = model.links.begin(i); link != model.links.end(i); ++link) {
            const bool cut = system.eliminates(i) || system.eliminates(link->other);
            const Vec3 against = cut ? Vec3{} : test_move(model, link->other);
            sum += curvature * system.key.stiffness_of(*link) * (move - against);
        }
        loads[i] = sum;
    }
    return loads;
}

// Checks the factor end to end, without relying on the factor or on the values of Q.
Status check_solution(const System& system, SolveErrors& errors) {
    std::vector<Vec3> b = test_loads(system);
    SolveScratch scratch(system);
    Jobs serial(1);
    solve(system, scratch, serial, b.data());
    errors = {};
    for (std::size_t i = 0; i < b.size(); ++i) {
        const Vec3 off = b[i] - test_move(*system.key.model, i);
        if (!std::isfinite(off.x))
            return fail(TWANG_FACTOR_FAILED, "a solution of the system is not finite");
        errors.translation = std::max(errors.translation, std::abs(off.x));
        const double alternating = std::max(std::abs(off.y), std::abs(off.z));
        errors.alternating =
            finite(off) ? std::max(errors.alternating, alternating) : unstable_error;
    }
    return TWANG_OK;
}

// Largest error of a usable factor. An iteration with this error still gains three digits, or two
// in half precision, which has no more.
double max_trusted_error(twang_precision precision) {
    return precision == TWANG_PRECISION_HALF ? 1e-2 : 1e-3;
}

// Returns whether iterations are stable with this factor. Springs much stiffer than inertia (beyond
// k h^2 / m = 1e7) lose the inertia in rounding, so a light body drifts with every vibration. The
// next iteration takes the drift back until the drift is too large: float fails from an error of 10
// on. Half fails from 1000 on, because its error does not grow with the rounding of the forces.
bool is_stable(twang_precision precision, const SolveErrors& errors) {
    return precision == TWANG_PRECISION_DOUBLE ||
           errors.alternating <= (precision == TWANG_PRECISION_HALF ? 100.0 : 1.0);
}

const char* name_of(twang_precision precision) {
    return precision == TWANG_PRECISION_DOUBLE ? "double"
           : precision == TWANG_PRECISION_HALF ? "half"
                                               : "float";
}

Status store(const LowerFactor& lower, twang_precision precision, System& system,
             SolveErrors& errors) {
    system.precision = precision;
    make_panels(lower, precision, system.panels);
    return check_solution(system, errors);
}

// Packs the factor in the precision asked for, or in the best one that can be trusted.
Status store_factor(LowerFactor&& lower, System& system) {
    const SystemKey& key = system.key;
    SolveErrors errors;
    system.l_nonzeros = lower.values.size();
    if (key.arithmetic == TWANG_ARITHMETIC_PORTABLE) {
        system.lower = std::move(lower);
        if (const Status s = check_solution(system, errors); s != TWANG_OK) return s;
    } else {
        const bool best = key.precision == TWANG_PRECISION_BEST;
        const bool exceeds_cache = lower.values.size() * sizeof(float) > last_level_cache();
        std::vector<twang_precision> choices{key.precision};
        if (key.precision == TWANG_PRECISION_HALF) choices.push_back(TWANG_PRECISION_FLOAT);
        if (best) choices = {TWANG_PRECISION_FLOAT, TWANG_PRECISION_DOUBLE};
        if (best && exceeds_cache) choices.insert(choices.begin(), TWANG_PRECISION_HALF);
        for (const twang_precision precision : choices) {
            if (const Status s = store(lower, precision, system, errors); s != TWANG_OK) return s;
            if (errors.translation <= max_trusted_error(precision) && is_stable(precision, errors))
                break;
        }
    }
    if (errors.translation > max_trusted_error(system.precision))
        return fail(TWANG_ILL_CONDITIONED,
                    "the system loses all digits (error %.1g in a test solve in %s precision): "
                    "time step %g s, masses and stiffness are too far apart%s",
                    errors.translation, name_of(system.precision), key.time_step,
                    system.precision == TWANG_PRECISION_DOUBLE ? "" : "; double or best may do");
    return TWANG_OK;
}

} // namespace

bool SystemKey::operator==(const SystemKey& other) const {
    const bool same_springs = stiffness == other.stiffness ||
                              (stiffness && other.stiffness && *stiffness == *other.stiffness);
    return model == other.model && energy == other.energy && method == other.method &&
           precision == other.precision && arithmetic == other.arithmetic &&
           time_step == other.time_step && integrator == other.integrator && held == other.held &&
           same_springs;
}

double inertia_square(const SystemKey& key) {
    return Integrator{largest_a(key.integrator), key.time_step, 1.0}.square();
}

double own_diagonal(const SystemKey& key, std::size_t vertex) {
    const Model& model = *key.model;
    double sum = model.masses[vertex] / inertia_square(key);
    for (const Link* link = model.links.begin(vertex); link != model.links.end(vertex); ++link)
        sum += rest_curvature(key.energy) * key.stiffness_of(*link);
    return sum;
}

Status make_system(SystemKey key, std::shared_ptr<const System>& result) {
    auto system = std::make_shared<System>();
    system->key = std::move(key);
    const SystemKey& k = system->key;

    auto begin = Clock::now();
    std::vector<double> diagonal(k.model->vertex_count()), inertia(diagonal.size());
    for (std::size_t i = 0; i < inertia.size(); ++i) {
        diagonal[i] = own_diagonal(k, i); // without pins, whose weights are scaled by this
        inertia[i] = k.model->masses[i] / inertia_square(k);
    }
    const auto make_coarse = [&](const CoarseSpace& space) {
        return make_coarse_system(*k.model, space, inertia, k.held, k.stiffness.get());
    };
    system->coarse = make_coarse(k.model->coarse);
    system->fine_grid = make_coarse(k.model->fine_grid);
    system->pin_weights.assign(diagonal.size(), 0.0);
    if (k.method == TWANG_PIN_PENALTY)
        for (std::size_t i = 0; i < diagonal.size(); ++i)
            if (k.held[i]) {
                system->pin_weights[i] = relative_pin_weight * diagonal[i];
                diagonal[i] += system->pin_weights[i];
            }
    const std::vector<double> values = assemble(k, diagonal);
    for (const double value : values)
        if (!std::isfinite(value))
            return fail(TWANG_FACTOR_FAILED, "the system matrix is not finite");
    system->assemble_ms = ms_since(begin);

    begin = Clock::now();
    Factor factor;
    if (const Status s = factor.analyse(k.model->pattern, Form::llt); s != TWANG_OK) return s;
    if (const Status s = factor.factorise(values.data()); s != TWANG_OK) return s;
    LowerFactor lower;
    if (const Status s = factor.extract(lower); s != TWANG_OK) return s;
    system->factor_ms = ms_since(begin);

    begin = Clock::now();
    if (const Status s = store_factor(std::move(lower), *system); s != TWANG_OK) return s;
    system->pack_ms = ms_since(begin);
    result = std::move(system);
    return TWANG_OK;
}

SolveScratch::SolveScratch(const System& system) {
    if (system.panels.n == 0) return;
    if (system.is_float()) {
        floats = PanelScratch<float>(system.panels);
        as_float = VertexArray<Float4>(system.panels.n);
    } else {
        doubles = PanelScratch<double>(system.panels);
        as_double = AlignedArray<double>(4 * (std::size_t(system.panels.n) + 8));
    }
}

void solve(const System& system, SolveScratch& scratch, Jobs& jobs, Float4* v,
           const PanelPaths* paths) {
    panel_solve(system.panels, &v->x, scratch.floats, jobs, paths);
}

void solve_forward(const System& system, SolveScratch& scratch, Jobs& jobs, Float4* v,
                   const PanelPaths* paths) {
    panel_forward(system.panels, &v->x, scratch.floats, jobs, paths);
}

void solve_backward(const System& system, SolveScratch& scratch, Jobs& jobs, Float4* v,
                    const PanelPaths* paths) {
    panel_backward(system.panels, &v->x, scratch.floats, jobs, paths);
}

namespace {

// Calls f(xyz0) with a copy of v, and copies back.
template <class F>
void as_xyz0(SolveScratch& scratch, std::size_t n, Vec3* v, F&& f) {
    double* d = scratch.as_double.data();
    for (std::size_t i = 0; i < n; ++i)
        d[4 * i] = v[i].x, d[4 * i + 1] = v[i].y, d[4 * i + 2] = v[i].z, d[4 * i + 3] = 0.0;
    f(d);
    for (std::size_t i = 0; i < n; ++i) v[i] = {d[4 * i], d[4 * i + 1], d[4 * i + 2]};
}

} // namespace

void solve_forward(const System& system, SolveScratch& scratch, Jobs& jobs, Vec3* v,
                   const PanelPaths* paths) {
    if (system.panels.n == 0) return triangular_forward(system.lower, v);
    as_xyz0(scratch, system.panels.n, v,
            [&](double* d) { panel_forward(system.panels, d, scratch.doubles, jobs, paths); });
}

void solve_backward(const System& system, SolveScratch& scratch, Jobs& jobs, Vec3* v,
                    const PanelPaths* paths) {
    if (system.panels.n == 0) return triangular_backward(system.lower, v);
    as_xyz0(scratch, system.panels.n, v,
            [&](double* d) { panel_backward(system.panels, d, scratch.doubles, jobs, paths); });
}

void solve(const System& system, SolveScratch& scratch, Jobs& jobs, Vec3* v,
           const PanelPaths* paths) {
    const std::size_t n = system.key.model->vertex_count();
    if (system.panels.n == 0) {
        triangular_solve(system.lower, v);
    } else if (system.is_float()) {
        Float4* f = scratch.as_float.data();
        for (std::size_t i = 0; i < n; ++i)
            f[i] = {static_cast<float>(v[i].x), static_cast<float>(v[i].y),
                    static_cast<float>(v[i].z), 0.0f};
        solve(system, scratch, jobs, f, paths);
        for (std::size_t i = 0; i < n; ++i) v[i] = {f[i].x, f[i].y, f[i].z};
    } else {
        as_xyz0(scratch, n, v,
                [&](double* d) { panel_solve(system.panels, d, scratch.doubles, jobs, paths); });
    }
}

std::shared_ptr<const System> SystemCache::find(const SystemKey& key) {
    std::erase_if(systems_, [](const auto& weak) { return weak.expired(); });
    for (const auto& weak : systems_)
        if (auto known = weak.lock(); known && known->key == key) return known;
    return nullptr;
}

void SystemCache::add(const std::shared_ptr<const System>& system) { systems_.push_back(system); }

Status SystemCache::fetch(SystemKey key, std::shared_ptr<const System>& system) {
    if (auto known = find(key)) {
        system = std::move(known);
        return TWANG_OK;
    }
    std::shared_ptr<const System> made;
    if (const Status s = make_system(std::move(key), made); s != TWANG_OK) return s;
    add(made);
    system = std::move(made);
    return TWANG_OK;
}

} // namespace twang::core
