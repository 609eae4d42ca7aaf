// contact: time per frame of cloth on an obstacle, compared with the same cloth in the air;
// stretch, and speed at rest. bullet: the same in Bullet's soft body.
#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <stdexcept>

#include "rivals/rivals.hpp"
#include "suites/contact.hpp"
#include "suites/suites.hpp"

namespace bench {

namespace {

using twang::io::Scene;
using twang::io::Stage;

Stage begin(Scene scene, int iterations) {
    scene.world.solver = twang::WorldDef{}.solver;
    scene.world.solver.iterations = iterations;
    scene.world.workers = 1;
    scene.world.pin_method = TWANG_PIN_PENALTY;
    auto stage = twang::io::instantiate(scene);
    if (!stage) throw std::runtime_error(stage.error().text());
    return std::move(*stage);
}

// Measures of a cloth over one run.
struct ContactRun {
    double stretch = 0.0; // the largest of all springs and frames
    double depth = 0.0;   // m below a surface, the largest
    int contacts = 0;     // the largest number; 0 for Bullet
    // m/s in the last frames: the mean and the maximum over vertices.
    double rest_mean = 0.0, rest_fast = 0.0;
};

// Updates the measures of a run, frame by frame, from the positions of all bodies.
class ContactGauge {
public:
    ContactGauge(const twang::Model& model, double time_step)
        : stretch_(model), vertices_(model.info().vertices), time_step_(time_step) {}

    void add_frame(int frame, const std::vector<double>& xyz, ContactRun& run) {
        const std::span<const double> all = xyz;
        for (std::size_t begin = 0; begin < xyz.size(); begin += 3 * vertices_)
            run.stretch =
                std::max(run.stretch, stretch_.measure(all.subspan(begin, 3 * vertices_)).max);
        if (frame > contact_frames - resting_frames) add_speeds(xyz, run);
        before_ = xyz;
    }

private:
    void add_speeds(const std::vector<double>& xyz, ContactRun& run) const {
        double sum = 0.0;
        for (std::size_t i = 0; i < xyz.size(); i += 3) {
            const double speed = std::hypot(xyz[i] - before_[i], xyz[i + 1] - before_[i + 1],
                                            xyz[i + 2] - before_[i + 2]) /
                                 time_step_;
            sum += speed;
            run.rest_fast = std::max(run.rest_fast, speed);
        }
        run.rest_mean += 3.0 * sum / static_cast<double>(xyz.size()) / resting_frames;
    }

    StretchGauge stretch_;
    std::size_t vertices_;
    double time_step_;
    std::vector<double> before_;
};

ContactRun run_variant(const Scene& scene, int iterations) {
    Stage stage = begin(scene, iterations);
    ContactGauge gauge(stage.model, scene.world.time_step);
    ContactRun run;
    const std::size_t size = 3 * stage.body.vertex_count();
    std::vector<double> xyz(size * stage.bodies.size());
    for (int frame = 1; frame <= contact_frames; ++frame) {
        check(stage.step());
        for (std::size_t b = 0; b < stage.bodies.size(); ++b)
            check(stage.bodies[b].copy_positions(std::span(xyz).subspan(b * size, size)));
        gauge.add_frame(frame, xyz, run);
        const twang::Report report = stage.world.report();
        run.contacts = std::max(run.contacts, report.contacts);
        run.depth = std::max(run.depth, report.max_penetration);
    }
    return run;
}

double depth_in_balls(const Scene& scene, const std::vector<double>& xyz) {
    double depth = 0.0;
    for (const twang::io::SceneCollider& ball : scene.colliders) {
        const twang::Vec3 c = ball.def.centre;
        for (std::size_t i = 0; i < xyz.size(); i += 3)
            depth = std::max(depth, ball.def.radius - std::hypot(xyz[i] - c.x, xyz[i + 1] - c.y,
                                                                 xyz[i + 2] - c.z));
    }
    return depth;
}

ContactRun run_variant_by_bullet(const Scene& scene, int iterations) {
    const Stage stage = begin(scene, 1); // only for the model
    ContactGauge gauge(stage.model, scene.world.time_step);
    ContactRun run;
    play_bullet(scene, iterations, contact_frames, [&](int frame, const std::vector<double>& xyz) {
        gauge.add_frame(frame, xyz, run);
        run.depth = std::max(run.depth, depth_in_balls(scene, xyz));
        return true;
    });
    return run;
}

// Returns over all variants the medians of stretch and of speeds at rest, the largest depth and the
// largest number of contacts.
using RunVariant = ContactRun (*)(const Scene& scene, int iterations);
ContactRun run_variants(const Scene& scene, int iterations, RunVariant run_variant) {
    std::vector<double> stretch, mean, fast;
    ContactRun all;
    for (int variant = 0; variant < contact_variants; ++variant) {
        const ContactRun run = run_variant(contact_variant(scene, variant), iterations);
        stretch.push_back(run.stretch);
        mean.push_back(run.rest_mean);
        fast.push_back(run.rest_fast);
        all.depth = std::max(all.depth, run.depth);
        all.contacts = std::max(all.contacts, run.contacts);
    }
    all.stretch = median(stretch);
    all.rest_mean = median(mean);
    all.rest_fast = median(fast);
    return all;
}

struct FrameTimes {
    double contact_ms, air_ms; // medians
};

// Times the scene in contact and the scene in the air, ten frames each in turn, so that a
// disturbance affects both. They do not alternate frame by frame: each would find the caches full
// of the other's data.
FrameTimes time_frames(const ContactScene& contact, int iterations) {
    constexpr int turn_frames = 10;
    Stage on_collider = begin(contact.scene, iterations), in_air = begin(contact.air, iterations);
    std::vector<double> contact_ms, air_ms;
    const auto step = [&](Stage& stage, std::vector<double>& times) {
        for (int frame = 0; frame < turn_frames; ++frame)
            times.push_back(milliseconds_of([&] { check(stage.step()); }));
    };
    for (int frame = 0; frame < contact_frames; frame += turn_frames) {
        step(on_collider, contact_ms);
        step(in_air, air_ms);
    }
    return {median(contact_ms), median(air_ms)};
}

void set_counters(benchmark::State& state, const ContactScene& contact, int iterations,
                  const ContactRun& run) {
    state.counters["n"] =
        static_cast<double>(contact.scene.mesh.vertex_count()) * contact.scene.copies.total();
    state.counters["iterations"] = iterations;
    state.counters["max_stretch"] = run.stretch;
    state.counters["max_penetration"] = run.depth;
    if (!contact.comes_to_rest) return;
    state.counters["rest_mean"] = 1e3 * run.rest_mean; // mm/s
    state.counters["rest_fast"] = 1e3 * run.rest_fast;
}

using ScenePointer = std::shared_ptr<Lazy<ContactScene>>;

void add_contact(Suite& suite, const std::string& name, int iterations, int repeats,
                 const ScenePointer& scene) {
    const auto run = std::make_shared<std::optional<ContactRun>>();
    suite.add_manual(contact_name(name, iterations), repeats, guarded([=](benchmark::State& state) {
                         const ContactScene& contact = scene->get();
                         if (!*run) *run = run_variants(contact.scene, iterations, run_variant);
                         const FrameTimes times = time_frames(contact, iterations);
                         for (auto _ : state) state.SetIterationTime(1e-3 * times.contact_ms);
                         set_counters(state, contact, iterations, **run);
                         state.counters["contacts"] = (*run)->contacts;
                         state.counters["air_ms"] = times.air_ms;
                         state.counters["ratio"] = times.contact_ms / times.air_ms;
                     }));
}

void add_bullet(Suite& suite, const std::string& name, int iterations, const ScenePointer& scene) {
    suite.add_manual(
        bullet_contact_name(name, iterations), 1, guarded([=](benchmark::State& state) {
            const ContactScene& contact = scene->get();
            const ContactRun run = run_variants(contact.scene, iterations, run_variant_by_bullet);
            const double ms = median(play_bullet(contact.scene, iterations, contact_frames));
            for (auto _ : state) state.SetIterationTime(1e-3 * ms);
            set_counters(state, contact, iterations, run);
        }));
}

} // namespace

Group contact_group(const std::string& name, const Options& options) {
    const int repeats = options.quick ? 1 : 3;
    const auto add = [=](Suite& suite) {
        const auto scene =
            std::make_shared<Lazy<ContactScene>>([=] { return contact_scene(name); });
        for (const int iterations : contact_iterations(name))
            add_contact(suite, name, iterations, repeats, scene);
        if (!has_bullet()) return;
        for (const int iterations : bullet_contact_iterations(name))
            add_bullet(suite, name, iterations, scene);
    };
    return {"contact: " + name, add};
}

} // namespace bench
