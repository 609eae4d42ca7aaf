// How fast each method reaches the minimum g* of one step. Every method restarts from the same
// states of a moving scene. The objective g is recorded after every iteration; the error of
// iteration k is (g_k - g*) / (g_0 - g*).
#pragma once

#include <map>
#include <string>
#include <vector>

#include <twang/io.hpp>

#include "suites/methods.hpp"

namespace bench {

// Objective and time after every iteration of one method in one frame.
struct Descent {
    std::vector<double> g;  // after k iterations
    std::vector<double> ms; // since the start of the step
};

struct Accuracy {
    std::map<std::string, std::vector<Descent>> descents; // by method, one per frame
    std::vector<double> best; // g*: the smallest g of any method, per frame

    // (g_k - g*) / (g_0 - g*).
    double error(const Descent& descent, std::size_t frame, std::size_t iteration) const;
    // Time and iterations until an error is reached, means over the frames. `reached` is false if
    // any frame does not reach that error.
    struct Cost {
        bool reached;
        double ms, iterations;
    };
    Cost cost_to_reach(double error, const std::string& method) const;
};

struct Effort {
    int frames;
    bool with_newton; // false leaves out direct Newton, which is slow on large scenes
    bool quick;       // a quarter of the iterations
    int max_iterations(const Method& method) const;
};
// Throws std::runtime_error.
Accuracy measure_accuracy(const twang::io::Scene& scene, const Effort& effort);

// Appends a scene's curves to the table of the plot, with the columns
// scene,method,iteration,ms,error: geometric means over the frames.
void write_curves(const Accuracy& accuracy, const std::string& scene, const std::string& path);

} // namespace bench
