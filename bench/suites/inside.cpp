// Calls local steps, global steps and iterations of the engine. See inside.hpp.
#include "suites/inside.hpp"

#include <benchmark/benchmark.h>

#include "api/handles.hpp"
#include "solver/joint.hpp"
#include "suites/stream.hpp"

namespace bench {

namespace core = twang::core;

namespace {

core::Body& body_of(const twang::io::Stage& stage) {
    core::Body* body = nullptr;
    core::find(stage.world.get()->world, stage.body.id(), body);
    return *body;
}

template <class V>
std::vector<Vec3> to_user(const core::Model& model, const V* inner) {
    std::vector<Vec3> user(model.vertex_count());
    for (std::size_t i = 0; i < user.size(); ++i)
        user[model.to_user[i]] = {inner[i].x, inner[i].y, inner[i].z};
    return user;
}

// A buffer divided among the workers. Each worker reads its part upwards or downwards, as the
// triangular solve does: the backward pass starts with the bytes that the forward pass has left in
// the cache.
class Stream {
public:
    Stream(std::size_t bytes, int workers)
        : part_((bytes / workers / chunk + 1) * chunk), buffer_(part_ * workers) {
        std::fill_n(buffer_.data(), buffer_.size(), char{1});
    }
    // Reads the first `bytes` bytes, divided among the workers.
    void read(core::Jobs& jobs, std::size_t bytes, bool down) const {
        const std::size_t share = bytes / jobs.workers(), chunks = (share + chunk - 1) / chunk;
        jobs.tasks(jobs.workers(), [&](std::size_t worker) {
            const char* begin = buffer_.data() + worker * part_;
            for (std::size_t i = 0; i < chunks; ++i) {
                const std::size_t at = (down ? chunks - 1 - i : i) * chunk;
                benchmark::DoNotOptimize(read_all(begin + at, std::min(chunk, share - at)));
            }
        });
    }

private:
    static constexpr std::size_t chunk = 16384;
    std::size_t part_;
    core::AlignedArray<char> buffer_;
};

} // namespace

std::shared_ptr<const core::System> stored_system(const twang::io::Stage& stage,
                                                  twang_precision precision) {
    const std::shared_ptr<const core::System>& own = body_of(stage).system.shared();
    if (precision == TWANG_PRECISION_BEST || precision == own->precision) return own;
    core::SystemKey key = own->key;
    key.precision = precision;
    std::shared_ptr<const core::System> made;
    core::make_system(std::move(key), made);
    return made;
}

double exact_objective(const twang::io::Stage& stage) {
    const core::Body& body = body_of(stage);
    const core::Objective objective{
        *body.model, body.springs(),     body.system, body.pins,
        body.energy, body.work.y.data(), nullptr,     body.work.weights.data()};
    core::Jobs one_worker(1);
    core::BlockSum sum(body.x.size());
    return core::value(objective, body.work.x.data(), one_worker, sum);
}

struct Inside::Parts {
    const core::Body& body;
    std::shared_ptr<const core::System> system;
    const core::Model& model;
    core::Jobs jobs;
    core::Workspace work;
    core::UpdatedSystem updated;
    core::Objective objective;
    core::VertexArray<core::Float4> right_float, solution_float, gradient_float;
    core::VertexArray<Vec3> right, solution, gradient;
    Stream stream;
    std::size_t forward_bytes, backward_bytes, project_bytes;
    twang_solver_def settings{TWANG_SOLVER_LOCAL_GLOBAL, 1, 0.0, TWANG_ACCELERATION_NONE};

    Parts(const core::Body& b, std::shared_ptr<const core::System> s, int workers)
        : body(b),
          system(std::move(s)),
          model(*body.model),
          jobs(workers),
          work(model.vertex_count()),
          updated(system),
          objective{model,       body.springs(), updated, body.pins,
                    body.energy, work.y.data(),  nullptr, work.weights.data()},
          right_float(model.vertex_count()),
          solution_float(model.vertex_count()),
          gradient_float(model.vertex_count()),
          right(model.vertex_count()),
          solution(model.vertex_count()),
          gradient(model.vertex_count()),
          stream(std::max(system->bytes(), gather_bytes()), workers),
          forward_bytes(system->panels.touched_bytes - unique_bytes()),
          backward_bytes(unique_bytes()),
          project_bytes(gather_bytes()) {
        // The step has swapped its start x into the workspace and left its target y there.
        std::copy(body.work.x.begin(), body.work.x.end(), work.x.begin());
        std::copy(body.work.y.begin(), body.work.y.end(), work.y.begin());
        std::copy(body.work.weights.begin(), body.work.weights.end(), work.weights.begin());
        work.integrator = body.work.integrator;
        work.fit(*system, settings);
    }
    // Bytes of P, D and the row indices. The backward pass reads all of these, the forward pass all
    // but D.
    std::size_t unique_bytes() const {
        const core::Panels& panels = system->panels;
        return panels.value_bytes + panels.rows.size() * sizeof(std::int32_t);
    }
    // Bytes of the links, x, y, the weights of inertia, and the gradient.
    std::size_t gather_bytes() const {
        return model.gather.slots.size() * sizeof(core::LinkSlot) +
               model.vertex_count() * (2 * sizeof(Vec3) + sizeof(double) + sizeof(core::Float4));
    }
};

Inside::Inside(const twang::io::Stage& stage, std::shared_ptr<const core::System> system,
               int workers)
    : parts_(std::make_unique<Parts>(body_of(stage), std::move(system), workers)) {}
Inside::~Inside() = default;

std::size_t Inside::l_nonzeros() const { return parts_->system->l_nonzeros; }
std::size_t Inside::bytes() const { return parts_->system->bytes(); }

Problem Inside::problem() const {
    const Parts& p = *parts_;
    const std::size_t n = p.model.vertex_count();
    Problem problem;
    for (const core::Spring& s : p.model.springs)
        problem.springs.push_back(
            {p.model.to_user[s.a], p.model.to_user[s.b], s.stiffness, s.rest_length, s.kind});
    problem.x = to_user(p.model, p.work.x.data());
    problem.y = to_user(p.model, p.work.y.data());
    problem.inertia.resize(n);
    problem.pin_weights.resize(n);
    problem.targets.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint32_t user = p.model.to_user[i];
        problem.inertia[user] = p.work.weights[i];
        problem.pin_weights[user] = p.system->pin_weights[i];
        problem.targets[user] = p.body.pins.target(i);
    }
    return problem;
}

void Inside::set_right_side(const std::vector<Vec3>& b) {
    Parts& p = *parts_;
    for (std::size_t i = 0; i < b.size(); ++i) {
        const Vec3 v = b[p.model.to_user[i]];
        p.right[i] = v;
        p.right_float[i] = {static_cast<float>(v.x), static_cast<float>(v.y),
                            static_cast<float>(v.z), 0.0f};
    }
}

void Inside::solve() {
    Parts& p = *parts_;
    if (p.system->is_float()) {
        std::copy(p.right_float.begin(), p.right_float.end(), p.solution_float.begin());
        core::solve(*p.system, p.work.solve, p.jobs, p.solution_float.data());
    } else {
        std::copy(p.right.begin(), p.right.end(), p.solution.begin());
        core::solve(*p.system, p.work.solve, p.jobs, p.solution.data());
    }
}

std::vector<Vec3> Inside::solution() const {
    return parts_->system->is_float() ? to_user(parts_->model, parts_->solution_float.data())
                                      : to_user(parts_->model, parts_->solution.data());
}

double Inside::project() {
    Parts& p = *parts_;
    return p.system->is_float() ? core::evaluate(p.objective, p.work.x.data(),
                                                 p.gradient_float.data(), p.jobs, p.work.sum)
                                : core::evaluate(p.objective, p.work.x.data(), p.gradient.data(),
                                                 p.jobs, p.work.sum);
}

std::vector<Vec3> Inside::gradient() const {
    return parts_->system->is_float() ? to_user(parts_->model, parts_->gradient_float.data())
                                      : to_user(parts_->model, parts_->gradient.data());
}

void Inside::iterate() {
    Parts& p = *parts_;
    twang_report report{};
    core::StageClock clock(report.ms);
    core::SolveContext context{p.objective,     p.settings,      p.system->key.time_step,
                               p.body.x.data(), p.body.v.data(), p.jobs,
                               nullptr,         nullptr,         {},
                               p.work,          nullptr,         clock,
                               report};
    core::Joint joint(context);
    core::local_global(joint);
}

std::vector<Vec3> Inside::x() const { return to_user(parts_->model, parts_->work.x.data()); }

void Inside::stream_solve() {
    parts_->stream.read(parts_->jobs, parts_->forward_bytes, false);
    parts_->stream.read(parts_->jobs, parts_->backward_bytes, true);
}

void Inside::stream_project() { parts_->stream.read(parts_->jobs, parts_->project_bytes, false); }

} // namespace bench
