// Judges the goals from the results. See goals.hpp.
#include "report/goals.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "suites/contact.hpp"
#include "suites/live_scripts.hpp"
#include "suites/methods.hpp"
#include "suites/truth.hpp"

namespace bench {

namespace {

std::string number(double value) {
    char text[40];
    std::snprintf(text, sizeof text, std::abs(value) < 10.0 ? "%.2f" : "%.0f", value);
    return text;
}

std::string milliseconds(double ms) {
    char text[40];
    std::snprintf(text, sizeof text, "%.3g ms", ms);
    return text;
}

std::string percent(double share) {
    char text[40];
    std::snprintf(text, sizeof text, "%.1f %%", 100.0 * share);
    return text;
}

class Judge {
public:
    Judge(const Results& results, const std::vector<Workload>& workloads)
        : results_(results), workloads_(workloads) {}

    std::vector<Goal> run() {
        for (const Workload& workload : workloads_) streaming(workload.name);
        for (const Workload& workload : workloads_) other_solvers(workload.name);
        for (const Workload& workload : workloads_) two_workers(workload);
        for (const Workload& workload : workloads_) local_step(workload.name);
        for (const Workload& workload : workloads_)
            at_least("5", "whole iteration against a textbook's: 10 times faster", workload.name,
                     10,
                     ms("iteration/" + workload.name + "/textbook/1") /
                         ms("iteration/" + workload.name + "/twang/1"));
        accuracy("cloth100");
        growth();
        for (const Workload& workload : workloads_)
            at_most("10", "allocations in a step: none", workload.name, 0.0,
                    results_.counter("frame/" + workload.name + "/local-global/1", "allocations"),
                    false);
        live("cloth100");
        crowd();
        busy();
        for (const int side : {32, 48, 64, 100}) true_motion(side);
        for (const int side : {32, 48, 64, 100}) integrator_cost(side);
        at_least("paper",
                 "10 default iterations against Newton run to convergence: 260 times faster",
                 "curtain", 260,
                 ms("frame/curtain/newton-converged/1") / ms("frame/curtain/default-10/1"));
        for (const int side : {32, 64, 100}) bullet(side);
        contact();
        return std::move(goals_);
    }

private:
    double ms(const std::string& name) const { return results_.ms(name); }

    void add(const char* number, const std::string& text, const std::string& where,
             const std::string& figure, bool reached, bool timed = true) {
        goals_.push_back({number, text, where, figure, reached, timed});
    }
    void at_least(const char* goal, const std::string& text, const std::string& where, double limit,
                  double figure) {
        if (std::isfinite(figure)) add(goal, text, where, number(figure), figure >= limit);
    }
    void at_most(const char* goal, const std::string& text, const std::string& where, double limit,
                 double figure, bool timed = true) {
        if (std::isfinite(figure)) add(goal, text, where, number(figure), figure <= limit, timed);
    }

    void streaming(const std::string& scene) {
        const std::string solve = "solve/" + scene + '/';
        const double ratio = ms(solve + "twang/1") / ms(solve + "stream/1");
        const std::string text = "global step against streaming its bytes: at most ";
        if (scene == "cloth64" || scene == "cloth100" || scene == "cloth200")
            at_most("1", text + "2.2", scene, 2.2, ratio);
        if (scene == "cloth400") at_most("1", text + "1.8", scene, 1.8, ratio);
    }

    void other_solvers(const std::string& scene) {
        if (!scene.starts_with("cloth")) return;
        const std::string solve = "solve/" + scene + '/';
        const double own = ms(solve + "twang/1");
        at_least("2", "global step against Eigen: 12 times faster", scene, 12,
                 ms(solve + "eigen/1") / own);
        at_least("2", "global step against CHOLMOD: 4 times faster", scene, 4,
                 ms(solve + "cholmod/1") / own);
    }

    void two_workers(const Workload& workload) {
        const std::string solve = "solve/" + workload.name + "/twang/";
        const double speedup = ms(solve + '1') / ms(solve + '2');
        if (workload.vertices >= 10'000)
            at_least("3", "global step by two workers: 1.7 times faster", workload.name, 1.7,
                     speedup);
        else // the engine uses one worker here; a little less than 1 is noise
            at_least("3", "global step by two workers: never slower (0.97)", workload.name, 0.97,
                     speedup);
    }

    void local_step(const std::string& scene) {
        const std::string project = "project/" + scene + '/';
        at_least("4", "gradient and energy against a scalar scatter loop: 3.5 times faster", scene,
                 3.5, ms(project + "scatter/1") / ms(project + "twang/1"));
        const Entry* two = results_.find(project + "twang/2");
        if (two)
            add("4", "gradient bitwise the same for one and two workers", scene,
                two->error.empty() ? "same" : two->error, two->error.empty(), false);
    }

    void accuracy(const std::string& scene) {
        const std::string path = "accuracy/" + scene + '/', level = "/1e-3";
        const std::string own = path + default_method() + level;
        const double own_ms = ms(own);
        if (!std::isfinite(own_ms)) {
            if (const Entry* entry = results_.find(own))
                add("6", "default solver reaches error 1e-3", scene, entry->error, false);
            return;
        }
        const std::string faster =
            "default solver to error 1e-3: 5 times faster than plain local-global";
        at_least("6", faster, scene, 5, ms(path + "local-global" + level) / own_ms);
        if (const Entry* unaccelerated = results_.find(path + "local-global" + level);
            unaccelerated && !unaccelerated->error.empty())
            add("6", faster, scene, "plain: " + unaccelerated->error, true);
        at_least("6", "default solver to error 1e-3: 20 times faster than Newton", scene, 20,
                 ms(path + "newton" + level) / own_ms);
        at_most("6", "default solver to error 1e-3: at most 40 iterations", scene, 40,
                results_.counter(own, "iterations"), false);
    }

    void live(const std::string& scene) {
        const std::string path = "live/" + scene + '/';
        const auto counter = [&](const std::string& name, const char* which) {
            return results_.counter(path + name, which);
        };
        at_most("7", "pin or unpin in at most 2 global steps", scene, 2,
                counter("pin", "apply_changes_ms") / counter("pin", "global_step_ms"));
        at_most("7", "moving a grab costs no global step", scene, 0.1,
                counter("drag", "apply_changes_ms") / counter("drag", "global_step_ms"));
        at_most("7", "16 live pins cost at most 30 % per iteration", scene, 1.3,
                counter("16-pins", "ratio"));
        for (const LiveScript& script : live_scripts().subspan(1))
            at_most(
                "8", std::string("worst frame at most 1.2 times the median (") + script.name + ')',
                scene, 1.2, counter(script.name, "worst_ms") / counter(script.name, "median_ms"));
    }

    void crowd() {
        const auto share = [&](const std::string& name) {
            return results_.counter("crowd/cape/" + name, "per_cape_ms");
        };
        at_most("crowd", "a cape among 100 against one alone, one worker: at most 0.7", "cape", 0.7,
                share("100/1") / share("1/1"));
        for (const char* count : {"10", "100"})
            at_least("crowd", "capes by two workers: faster than by one",
                     count + std::string(" capes"), 1.0,
                     share(count + std::string("/1")) / share(count + std::string("/2")));
    }

    void busy() {
        for (const char* loops : {"0", "1", "2"}) {
            const std::string one = std::string("busy/1/") + loops;
            const std::string two = std::string("busy/2/") + loops;
            const std::string where = std::string("bunny, ") + loops + " busy loops";
            at_most("busy", "two workers against one, median frame: at most 1.1", where, 1.1,
                    ms(two) / ms(one));
            at_most("busy", "two workers against one, 99th percentile: at most 1.5", where, 1.5,
                    results_.counter(two, "p99_ms") / results_.counter(one, "p99_ms"));
        }
    }

    void growth() {
        at_most("9", "global step in cache grows with n to the power of at most 1.25",
                "cloth up to 200", 1.25,
                exponent(cloth_points(results_, "solve/", "/twang/1", 50'000)));
        const Points all = cloth_points(results_, "solve/", "/twang/1");
        if (!all.empty() && all.back().first > 50'000)
            at_most("9", "global step grows with n to the power of at most 1.4", "cloth up to 400",
                    1.4, exponent(all));
    }

    void true_motion(int side) {
        const std::string name = truth_name(side, "default", twang::WorldDef{}.solver.iterations);
        const Entry* own = results_.find(name);
        if (!own) return;
        AtFrames rms;
        for (std::size_t i = 0; i < rms.size(); ++i)
            rms[i] = results_.counter(name, "rms_" + std::to_string(true_frames[i]));
        add("truth",
            "default settings: at most " + centimetres(true_limits) +
                " cm from the exact motion at frames 30 / 60 / 90",
            "fall " + std::to_string(side), own->error.empty() ? centimetres(rms) : own->error,
            is_true_motion(rms), false);
    }

    // The largest ratio of all numbers of iterations counts.
    void integrator_cost(int side) {
        double worst = std::nan("");
        for (const int iterations : truth_methods().front().iterations)
            worst = std::fmax(worst, default_to_euler(results_, side, iterations));
        at_most("truth", "BDF2 takes at most 1.03 of implicit Euler's time, iterations alike",
                "fall " + std::to_string(side), 1.03, worst);
    }

    void contact() {
        const auto counter = [&](const char* scene, int iterations, const char* what) {
            return results_.counter(contact_name(scene, iterations), what);
        };
        at_most("contact", "a frame on a ball against one in the air, 10 iterations: at most 1.6",
                "ball64", 1.6, counter("ball64", 10, "ratio"));
        stretch_in_contact("ball64", 0.08);
        at_most("contact", "a cape on a back against one in the air, 3 iterations: at most 1.5",
                "cape", 1.5, counter("cape", 3, "ratio"));
        at_most("contact", "at rest, mean over vertices: at most 1 mm/s", "ball33", 1.0,
                counter("ball33", 10, "rest_mean"), false);
        at_most("contact", "at rest, fastest vertex: at most 5 mm/s", "ball33", 5.0,
                counter("ball33", 10, "rest_fast"), false);
        at_most("contact", "two layers at rest, mean over vertices: at most 2 mm/s", "stack", 2.0,
                counter("stack", 10, "rest_mean"), false);
        at_most("contact", "two layers at rest, fastest vertex: at most 15 mm/s", "stack", 15.0,
                counter("stack", 10, "rest_fast"), false);
    }

    // Shows the fewest iterations that reach the limit, and their time.
    void stretch_in_contact(const std::string& scene, double limit) {
        const std::vector<int> counts = contact_iterations(scene);
        const auto stretch = [&](int iterations) {
            return results_.counter(contact_name(scene, iterations), "max_stretch");
        };
        for (const int iterations : counts)
            if (!std::isfinite(stretch(iterations))) return;
        const auto found = std::find_if(counts.begin(), counts.end(),
                                        [&](int count) { return stretch(count) <= limit; });
        const bool is_reached = found != counts.end();
        const int iterations = is_reached ? *found : counts.back();
        add("contact", "stretched by at most 8 % on a ball, within 10 iterations", scene,
            std::to_string(iterations) + " iterations, " +
                milliseconds(ms(contact_name(scene, iterations))) + ": " +
                percent(stretch(iterations)),
            is_reached, false);
    }

    // Every setting of Bullet whose stretch is at most the engine's must take longer.
    void bullet(int side) {
        const std::string own = "fall/" + std::to_string(side) + "/default/1";
        const std::string path = "bullet/fall" + std::to_string(side) + '/';
        const double own_ms = ms(own), own_stretch = results_.counter(own, "max_stretch");
        bool beaten = true, is_there = false;
        double best_stretch = INFINITY, best_ms = 0.0;
        for (const auto& [name, entry] : results_.all()) {
            if (!name.starts_with(path)) continue;
            is_there = true;
            if (!entry.error.empty()) continue;
            const double stretch = entry.counters.at("max_stretch");
            if (stretch <= own_stretch && entry.ms <= own_ms) beaten = false;
            if (stretch < best_stretch) best_stretch = stretch, best_ms = entry.ms;
        }
        const std::string text = "Bullet beaten on frame time at equal or smaller stretch";
        const std::string where = "fall " + std::to_string(side);
        if (!is_there || !results_.find(own)) return;
        if (!std::isfinite(own_ms)) return add("bullet", text, where, "default not reached", false);
        add("bullet", text, where,
            milliseconds(own_ms) + " at " + percent(own_stretch) + ", Bullet at best " +
                milliseconds(best_ms) + " at " + percent(best_stretch),
            beaten);
    }

    const Results& results_;
    const std::vector<Workload>& workloads_;
    std::vector<Goal> goals_;
};

} // namespace

std::vector<Goal> judge(const Results& results, const std::vector<Workload>& workloads) {
    return Judge(results, workloads).run();
}

double exponent(const Points& points) {
    if (points.size() < 2) return std::nan("");
    double sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0;
    for (const auto& [x, y] : points) {
        sx += std::log(x), sy += std::log(y);
        sxx += std::log(x) * std::log(x), sxy += std::log(x) * std::log(y);
    }
    const double n = static_cast<double>(points.size());
    return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

Points cloth_points(const Results& results, const std::string& before, const std::string& after,
                    double max_vertices) {
    Points points;
    for (const int side : {32, 64, 100, 200, 400}) {
        const double ms = results.ms(before + "cloth" + std::to_string(side) + after);
        if (std::isfinite(ms) && 1.0 * side * side <= max_vertices)
            points.emplace_back(side * side, ms);
    }
    return points;
}

} // namespace bench
