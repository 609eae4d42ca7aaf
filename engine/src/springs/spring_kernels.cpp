// The scalar kernel of the local step, the choice of a kernel, and the padded lists of links.
#include "springs/spring_kernels.hpp"

#include <cmath>

#include "base/cpu.hpp"

namespace twang::core {

namespace {

float scalar_length(Vec3 d) {
    const float x = static_cast<float>(d.x), y = static_cast<float>(d.y),
                z = static_cast<float>(d.z);
    return std::sqrt(x * x + y * y + z * z);
}

bool scalar_gather_group(const GatherInput& in, std::size_t group, Float4* gradient,
                         double& energy) {
    energy = 0.0;
    const std::uint32_t* start = in.lists.start.data() + group;
    for (std::size_t lane = 0; lane < 8; ++lane) {
        const std::size_t i = 8 * group + lane;
        const Vec3 offset = in.x[i] - in.y[i], inertia_gradient = in.inertia[i] * offset;
        float px = 0.0f, py = 0.0f, pz = 0.0f, twice_spring_energy = 0.0f;
        for (std::uint32_t s = start[0]; s < start[1]; ++s) {
            const LinkSlot& slot = in.lists.slots.data()[s];
            const float k = slot.stiffness[lane];
            if (k == 0.0f) continue;
            const Vec3 d = in.x[i] - in.x[slot.other[lane] / sizeof(Vec3)];
            const float dx = static_cast<float>(d.x), dy = static_cast<float>(d.y),
                        dz = static_cast<float>(d.z);
            const float square = dx * dx + dy * dy + dz * dz;
            if (square < min_square_length) return false;
            const float length = std::sqrt(square);
            const float extension = length - slot.rest_length[lane];
            const float tension = k * extension;
            const float scale = tension / length;
            px += scale * dx;
            py += scale * dy;
            pz += scale * dz;
            twice_spring_energy += tension * extension;
        }
        gradient[i] = {static_cast<float>(inertia_gradient.x + px),
                       static_cast<float>(inertia_gradient.y + py),
                       static_cast<float>(inertia_gradient.z + pz), 0.0f};
        energy += 0.5 * dot(offset, inertia_gradient) + 0.25 * twice_spring_energy;
    }
    return true;
}

} // namespace

GatherKernels scalar_gather() { return {scalar_gather_group, scalar_length}; }

const GatherKernels& gather_kernels() {
    static const GatherKernels chosen = cpu_has_avx2() ? avx2_gather() : scalar_gather();
    return chosen;
}

GatherLists make_gather_lists(const Lists<Link>& links, const std::vector<Vec3>& rest_positions,
                              LengthKernel length_of) {
    const std::size_t n = rest_positions.size(), groups = (n + 7) / 8;
    GatherLists lists;
    lists.start.assign(1, 0);
    for (std::size_t group = 0; group < groups; ++group) {
        std::uint32_t max_links = 0;
        for (std::size_t i = 8 * group; i < std::min(n, 8 * group + 8); ++i)
            max_links = std::max(max_links, links.count(i));
        lists.start.push_back(lists.start.back() + max_links);
    }
    lists.slots = AlignedArray<LinkSlot>(lists.start.back());
    for (std::size_t group = 0; group < groups; ++group)
        for (std::uint32_t s = lists.start[group]; s < lists.start[group + 1]; ++s)
            for (std::size_t lane = 0; lane < 8; ++lane) {
                LinkSlot& slot = lists.slots.data()[s];
                const std::size_t i = 8 * group + lane, at = s - lists.start[group];
                const bool used = i < n && at < links.count(i);
                slot.other[lane] = static_cast<std::uint32_t>(std::min(i, n - 1) * sizeof(Vec3));
                slot.stiffness[lane] = slot.rest_length[lane] = 0.0f;
                if (!used) continue;
                const Link& link = links.begin(i)[at];
                const Vec3 rest = rest_positions[i] - rest_positions[link.other];
                slot.other[lane] = static_cast<std::uint32_t>(link.other * sizeof(Vec3));
                slot.stiffness[lane] = static_cast<float>(link.stiffness);
                slot.rest_length[lane] = link.rest_length == length(rest)
                                             ? length_of(rest)
                                             : static_cast<float>(link.rest_length);
            }
    return lists;
}

} // namespace twang::core
