// A line on the terminal while a long run goes on, erased at its end. Silent for short runs and
// where standard error is not a terminal.
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

    void show(int frame); // call it every frame
    void erase();         // before anything else is said

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
