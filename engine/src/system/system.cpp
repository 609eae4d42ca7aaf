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

// A pin is loaded by the springs of its vertex. Stretched by the body's whole size they would pull
// it off by 1e-7 of that size at this weight (times the vertex's own diagonal in Q); the promise is
// 1e-6. Far heavier would waste digits, far lighter would show.
constexpr double relative_pin_weight = 1e7;

// An eliminated vertex keeps its row, cut off from the others: the pattern stays the model's.
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

// What a factor makes of moves whose right answer is known.
struct SolveErrors {
    double whole = 0.0; // of moving the body as a whole, by 1: met by inertia and pins only
    double rough =
        0.0; // of moves by 1 to and fro: how far the body goes along, which it should not
};

constexpr double not_steady = std::numeric_limits<double>::infinity();

// Vertices to and fro, every other one and at random: the stiffest moves there are.
Vec3 test_move(const Model& model, std::size_t i) {
    const std::uint32_t user = model.to_user[i];
    return {1.0, user % 2 ? 1.0 : -1.0, hash_mix(0, user) % 2 ? 1.0 : -1.0};
}

// Q times the moves; for the first, what the springs cancel is left out, not subtracted.
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

// An end-to-end check of the factor, without trusting it or Q.
Status check_solution(const System& system, SolveErrors& errors) {
    std::vector<Vec3> b = test_loads(system);
    SolveScratch scratch(system);
    Jobs alone(1);
    solve(system, scratch, alone, b.data());
    errors = {};
    for (std::size_t i = 0; i < b.size(); ++i) {
        const Vec3 off = b[i] - test_move(*system.key.model, i);
        if (!std::isfinite(off.x))
            return fail(TWANG_FACTOR_FAILED, "a solution of the system is not finite");
        errors.whole = std::max(errors.whole, std::abs(off.x));
        const double rough = std::max(std::abs(off.y), std::abs(off.z));
        errors.rough = finite(off) ? std::max(errors.rough, rough) : not_steady;
    }
    return TWANG_OK;
}

// An iteration with a factor this bad still gains three digits, or two where half's are all it has.
double trusted_error(twang_precision precision) { return precision == TWANG_HALF ? 1e-2 : 1e-3; }

// Springs much stiffer than inertia (k h^2 / m beyond 1e7) drown it in rounding: a light body runs
// off with every vibration. The next iteration brings it back, until it runs farther than that can
// mend: float fails from an error of 10 on, half from 1000 on, whose error does not grow with the
// forces' own rounding.
bool is_steady(twang_precision precision, const SolveErrors& errors) {
    return precision == TWANG_DOUBLE || errors.rough <= (precision == TWANG_HALF ? 100.0 : 1.0);
}

const char* name_of(twang_precision precision) {
    return precision == TWANG_DOUBLE ? "double" : precision == TWANG_HALF ? "half" : "float";
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
    if (key.arithmetic == TWANG_PORTABLE) {
        system.lower = std::move(lower);
        if (const Status s = check_solution(system, errors); s != TWANG_OK) return s;
    } else {
        const bool best = key.precision == TWANG_BEST;
        const bool outgrows = lower.values.size() * sizeof(float) > last_level_cache();
        std::vector<twang_precision> choices{key.precision};
        if (key.precision == TWANG_HALF) choices.push_back(TWANG_FLOAT);
        if (best) choices = {TWANG_FLOAT, TWANG_DOUBLE};
        if (best && outgrows) choices.insert(choices.begin(), TWANG_HALF);
        for (const twang_precision precision : choices) {
            if (const Status s = store(lower, precision, system, errors); s != TWANG_OK) return s;
            if (errors.whole <= trusted_error(precision) && is_steady(precision, errors)) break;
        }
    }
    if (errors.whole > trusted_error(system.precision))
        return fail(TWANG_ILL_CONDITIONED,
                    "the system loses all digits (error %.1g in a test solve in %s precision): "
                    "time step %g s, masses and stiffness are too far apart%s",
                    errors.whole, name_of(system.precision), key.time_step,
                    system.precision == TWANG_DOUBLE ? "" : "; double or best may do");
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
        diagonal[i] = own_diagonal(k, i); // pins come after: their weights are scaled by this
        inertia[i] = k.model->masses[i] / inertia_square(k);
    }
    const auto make_coarse = [&](const CoarseSpace& space) {
        return make_coarse_system(*k.model, space, inertia, k.held, k.stiffness.get());
    };
    system->coarse = make_coarse(k.model->coarse);
    system->coarse_in_air = make_coarse(k.model->coarse_in_air);
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
