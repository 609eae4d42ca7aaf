#include "panel_batch.hpp"

#include <algorithm>

#include "lanes.hpp"
#include "machine.hpp"

namespace twang::core {

bool PanelBatch::suits(const Panels& panels) {
    return machine_has_avx2() && panels.n > 0 && panels.p_float.data() && panels.tasks.empty();
}

void PanelBatch::fit(const Panels& panels) {
    make_room(v_, vertex_stride * (std::size_t(panels.n) + 8));
    make_room(fresh_, batch_room(panels));
}

void batch_solve(const Panels& panels, float* v, float* fresh) {
    std::fill_n(v + 24 * std::size_t(panels.n), 8 * 24, 0.0f);
    const std::vector<int>& order = panels.top; // without tasks, all of them
    const auto node = [&](int s) -> const Supernode& { return panels.supernodes[s]; };
    for (const int s : order)
        batch_forward(node(s), panels.p_float.data() + node(s).panel,
                      panels.rows.data() + node(s).rows, 4 * panels.n, v);
    for (auto s = order.rbegin(); s != order.rend(); ++s)
        batch_backward(node(*s), panels.p_float.data() + node(*s).panel,
                       panels.d_float.data() + node(*s).diagonal,
                       panels.rows.data() + node(*s).rows, 4 * panels.n, v, fresh);
}

void PanelBatch::solve(const Panels& panels, Float4* const* v, int count) {
    float* all = v_.data();
    batch_read(v, count, panels.n, all);
    batch_solve(panels, all, fresh_.data());
    batch_write(all, count, panels.n, v);
}

} // namespace twang::core
