// Falling cloth, and whether it falls as it should. Too few iterations do not stretch cloth, they
// make it move in slow motion; so a setting passes only if stretch and motion are both right.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <twang/io.hpp>

namespace bench {

// Positions that a converged run passes through.
struct FallReference {
    double lowest_25 = 0.0, lowest_30 = 0.0; // m, at frames 25 and 30
    std::vector<double> at_30;               // xyz
};

struct FallRun {
    double lowest_25 = 0.0, lowest_30 = 0.0;
    double rms = 0.0;                             // m from the reference, at frame 30
    double max_stretch = 0.0, mean_stretch = 0.0; // the worst of frames 240 to 300
    std::vector<double> frame_ms;
    bool moves_truly(const FallReference& reference) const;
    bool is_stiff() const;
};

class Fall {
public:
    // Finds the reference in `folder`, or makes it and leaves it there. Throws std::runtime_error.
    Fall(int side, const std::string& folder);
    Fall(const Fall&) = delete;

    // From the start, by 300 frames, or 30 where the motion is not true.
    FallRun play(const twang::SolverDef& solver, int workers);
    // The first so many frames, for their time alone.
    std::vector<double> time_frames(const twang::SolverDef& solver, int workers, int frames);

    struct Found {
        twang::SolverDef solver;
        FallRun run;
    };
    // The fewest iterations that pass; nothing where 100 do not.
    std::optional<Found> search(twang::SolverDef solver);

    const twang::io::Stage& stage() const { return stage_; }
    const FallReference& reference() const { return reference_; }

private:
    FallReference make_reference();
    double step(); // ms
    std::vector<double> positions() const;
    void measure_stretch(FallRun& run) const;
    void begin(const twang::SolverDef& solver, int workers);

    int side_;
    twang::io::Stage stage_; // with one worker
    std::optional<twang::io::Stage> parallel_;
    twang::io::Stage* now_ = nullptr; // the one that is playing
    std::vector<twang::SpringDef> springs_;
    FallReference reference_;
};

} // namespace bench
