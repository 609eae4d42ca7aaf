// How fast each method gets down to the minimum of a step: every method restarts from the same
// states of a moving scene, and the objective is recorded iteration by iteration.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <twang/io.hpp>

#include "suites/methods.hpp"

namespace bench {

// Of one method in one frame: when it had reached which objective.
struct Descent {
    std::vector<double> g;  // after so many iterations
    std::vector<double> ms; // since the start of the step
};

struct Accuracy {
    std::map<std::string, std::vector<Descent>> descents; // by method, one per frame
    std::vector<double> best;                             // g*: the least seen in each frame

    double error(const Descent& descent, std::size_t frame, std::size_t iteration) const;
    // Means over the frames of the way to an error; reached: false where one frame never gets
    // there.
    struct Way {
        bool reached;
        double ms, iterations;
    };
    Way way_to(double error, const std::string& method) const;
};

struct Effort {
    int frames;
    bool with_newton; // direct Newton can be left out where it is too slow
    bool quick;       // a quarter of the iterations, and then give up
    int most_iterations(const Method& method) const;
};
// Throws std::runtime_error.
Accuracy measure_accuracy(const twang::io::Scene& scene, const Effort& effort);

// Adds a scene's curves to the table that the plot is made from: scene,method,iteration,ms,error,
// geometric means over the frames.
void write_curves(const Accuracy& accuracy, const std::string& scene, const std::string& path);

} // namespace bench
