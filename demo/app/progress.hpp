// A progress line on the terminal during a long run, erased at the end of the run. Prints nothing
// in the first half second, nor where standard error is not a terminal.
#ifndef TWANG_DEMO_PROGRESS_HPP
#define TWANG_DEMO_PROGRESS_HPP

#include <chrono>

namespace twang::demo {

class Progress {
public:
    explicit Progress(int frames);
    ~Progress() { erase(); }
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    void show(int frame); // called after every frame
    void erase();         // called before other output

private:
    using Clock = std::chrono::steady_clock;

    int frames_;
    bool terminal_;
    bool shown_ = false;
    Clock::time_point start_;
    Clock::time_point next_;
};

} // namespace twang::demo

#endif // TWANG_DEMO_PROGRESS_HPP
