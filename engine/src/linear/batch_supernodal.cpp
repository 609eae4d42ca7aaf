// Batched solve: loops over the supernodes in the order of a solve with one worker.
#include "linear/batch_supernodal.hpp"

#include <algorithm>

#include "base/cpu.hpp"

namespace twang::core {

bool supports_batch(const Panels& panels) {
    return cpu_has_avx2() && panels.n > 0 && panels.p_float.data() && panels.tasks.empty();
}

// Eight partial sums for every column of the widest supernode.
std::size_t batch_scratch_size(const Panels& panels) {
    return 8 * vertex_stride * std::size_t(panels.widest);
}

void batch_solve(const Panels& panels, float* v, float* partial_sums) {
    std::fill_n(v + vertex_stride * std::size_t(panels.n), 8 * vertex_stride, 0.0f);
    const std::vector<int>& order = panels.top; // without tasks, all supernodes
    const auto node = [&](int s) -> const Supernode& { return panels.supernodes[s]; };
    for (const int s : order)
        batch_forward(node(s), panels.p_float.data() + node(s).panel,
                      panels.rows.data() + node(s).rows, 4 * panels.n, v);
    for (auto s = order.rbegin(); s != order.rend(); ++s)
        batch_backward(node(*s), panels.p_float.data() + node(*s).panel,
                       panels.d_float.data() + node(*s).diagonal,
                       panels.rows.data() + node(*s).rows, 4 * panels.n, v, partial_sums);
}

} // namespace twang::core
