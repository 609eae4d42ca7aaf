// The last 180 values of a number, in a ring buffer, to be drawn as a curve.
#ifndef TWANG_DEMO_PLOT_HPP
#define TWANG_DEMO_PLOT_HPP

#include <algorithm>
#include <array>

namespace twang::demo {

class Plot {
public:
    static constexpr int length = 180;

    void add(double value) {
        values_[next_] = static_cast<float>(value);
        next_ = (next_ + 1) % length;
        count_ = std::min(count_ + 1, length);
    }
    void clear() { *this = {}; }
    const float* values() const { return values_.data(); }
    int oldest() const {
        return next_;
    } // index of the first value of the curve; unused entries are 0
    double mean() const {
        double sum = 0;
        for (const float value : values_) sum += value;
        return count_ ? sum / count_ : 0.0;
    }

private:
    std::array<float, length> values_{};
    int next_ = 0, count_ = 0;
};

} // namespace twang::demo

#endif // TWANG_DEMO_PLOT_HPP
