#include "linear/batch_supernodal.hpp"

#include <algorithm>

#include "base/cpu.hpp"

namespace twang::core {

bool suits_side_panels(const Panels& panels) {
    return machine_has_avx2() && panels.n > 0 && panels.p_float.data() && panels.tasks.empty();
}

// Eight sums for every column of a supernode.
std::size_t side_room(const Panels& panels) {
    return 8 * vertex_stride * std::size_t(panels.widest);
}

void side_solve(const Panels& panels, float* v, float* fresh) {
    std::fill_n(v + vertex_stride * std::size_t(panels.n), 8 * vertex_stride, 0.0f);
    const std::vector<int>& order = panels.top; // without tasks, all of them
    const auto node = [&](int s) -> const Supernode& { return panels.supernodes[s]; };
    for (const int s : order)
        side_forward(node(s), panels.p_float.data() + node(s).panel,
                     panels.rows.data() + node(s).rows, 4 * panels.n, v);
    for (auto s = order.rbegin(); s != order.rend(); ++s)
        side_backward(node(*s), panels.p_float.data() + node(*s).panel,
                      panels.d_float.data() + node(*s).diagonal, panels.rows.data() + node(*s).rows,
                      4 * panels.n, v, fresh);
}

} // namespace twang::core
