#include "system.hpp"

#include <chrono>
#include <cmath>

#include "spring_math.hpp"
#include "triangular_solve.hpp"

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

// Inertia and springs; pins come after, as their weights are scaled by this.
std::vector<double> make_diagonal(const SystemKey& key) {
    const Model& model = *key.model;
    const double curvature = rest_curvature(key.energy);
    std::vector<double> diagonal(model.vertex_count());
    for (std::size_t i = 0; i < diagonal.size(); ++i) {
        diagonal[i] = model.masses[i] / (key.time_step * key.time_step);
        for (const Link* link = model.links.begin(i); link != model.links.end(i); ++link)
            diagonal[i] += curvature * link->stiffness;
    }
    return diagonal;
}

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
                values.push_back(cut(i) || cut(link->other) ? 0.0 : -curvature * link->stiffness);
    }
    return values;
}

// Translating a free body by (1, 1, 1) meets inertia and pins only, so the right answer to that
// right-hand side is known without trusting Q: an end-to-end check of the factor.
Status check_solution(const System& system) {
    const Model& model = *system.key.model;
    const double h = system.key.time_step;
    std::vector<Vec3> b(model.vertex_count());
    for (std::size_t i = 0; i < b.size(); ++i) {
        double sum = model.masses[i] / (h * h) + system.pin_weights[i];
        for (const Link* link = model.links.begin(i); link != model.links.end(i); ++link)
            if (system.eliminates(i) != system.eliminates(link->other) || system.eliminates(i))
                sum += rest_curvature(system.key.energy) * link->stiffness;
        b[i] = {sum, sum, sum};
    }
    solve(system, b.data());
    double worst = 0.0;
    for (const Vec3& v : b) {
        if (!finite(v)) return fail(TWANG_FACTOR_FAILED, "a solution of the system is not finite");
        worst = std::max(worst, std::abs(v.x - 1.0));
    }
    if (worst > 1e-3)
        return fail(TWANG_ILL_CONDITIONED,
                    "the system loses all digits (error %.1g in a test solve): time step %g s, "
                    "masses and stiffness are too far apart",
                    worst, h);
    return TWANG_OK;
}

} // namespace

Status make_system(SystemKey key, std::shared_ptr<const System>& result) {
    auto system = std::make_shared<System>();
    system->key = std::move(key);
    const SystemKey& k = system->key;

    auto begin = Clock::now();
    std::vector<double> diagonal = make_diagonal(k);
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
    if (const Status s = factor.extract(system->lower); s != TWANG_OK) return s;
    if (const Status s = check_solution(*system); s != TWANG_OK) return s;
    system->factor_ms = ms_since(begin);
    result = std::move(system);
    return TWANG_OK;
}

void solve(const System& system, Vec3* b) { triangular_solve(system.lower, b); }

Status SystemCache::fetch(SystemKey key, std::shared_ptr<const System>& system) {
    std::erase_if(systems_, [](const auto& weak) { return weak.expired(); });
    for (const auto& weak : systems_)
        if (const auto known = weak.lock(); known && known->key == key) {
            system = known;
            return TWANG_OK;
        }
    std::shared_ptr<const System> made;
    if (const Status s = make_system(std::move(key), made); s != TWANG_OK) return s;
    systems_.push_back(made);
    system = std::move(made);
    return TWANG_OK;
}

} // namespace twang::core
