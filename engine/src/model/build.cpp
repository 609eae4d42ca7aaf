// Validation of mesh and cloth definitions, and the springs, triangles and masses derived from
// them.
#include "model/build.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

namespace twang::core {

namespace {

// Limits of a model, so that the 32-bit indices in Lists and Pattern cannot overflow.
constexpr std::uint64_t max_vertices = 100'000'000;
constexpr std::uint64_t max_elements = 400'000'000;

Status check_number(const char* name, double value, double minimum, bool or_equal) {
    if (!std::isfinite(value)) return fail(TWANG_NOT_FINITE, "%s is %g", name, value);
    if (or_equal ? value < minimum : value <= minimum)
        return fail(TWANG_OUT_OF_RANGE, "%s is %g, but must be %s %g", name, value,
                    or_equal ? "at least" : "above", minimum);
    return TWANG_OK;
}

// Faces of a mesh, with any number of corners each, stored one after another.
struct Faces {
    std::vector<std::uint32_t> corners;
    std::vector<std::uint32_t> start{0};
    std::size_t count() const { return start.size() - 1; }
    std::span<const std::uint32_t> operator[](std::size_t i) const {
        return {corners.data() + start[i], corners.data() + start[i + 1]};
    }
    void add(std::span<const std::uint32_t> face) {
        corners.insert(corners.end(), face.begin(), face.end());
        start.push_back(static_cast<std::uint32_t>(corners.size()));
    }
};

bool repeats(std::span<const std::uint32_t> vertices) {
    for (std::size_t i = 0; i < vertices.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            if (vertices[i] == vertices[j]) return true;
    return false;
}

class MeshBuilder {
public:
    MeshBuilder(const twang_mesh_def& def, Network& network) : def_(def), network_(network) {}

    Status build() {
        for (auto stage : {&MeshBuilder::check_definition, &MeshBuilder::read_positions,
                           &MeshBuilder::read_faces, &MeshBuilder::read_tetrahedra,
                           &MeshBuilder::read_springs, &MeshBuilder::read_polylines})
            if (const Status status = (this->*stage)(); status != TWANG_OK) return status;
        add_sides();
        add_tetrahedron_edges();
        if (def_.shear > 0.0) add_diagonals();
        if (def_.bend > 0.0) add_bend();
        keep_first_of_each_pair();
        triangulate();
        network_.dimension = tetrahedra_.empty() ? (faces_.count() > 0 ? 2 : 1) : 3;
        if (const Status status = distribute_mass(); status != TWANG_OK) return status;
        network_.tetrahedra = std::move(tetrahedra_);
        return TWANG_OK;
    }

private:
    Status check_definition() {
        const struct {
            const void* array;
            std::uint64_t count;
            const char* name;
        } arrays[] = {{def_.positions, def_.vertex_count, "positions"},
                      {def_.triangles, def_.triangle_count, "triangles"},
                      {def_.quads, def_.quad_count, "quads"},
                      {def_.polygons, def_.polygon_index_count, "polygons"},
                      {def_.tetrahedra, def_.tetrahedron_count, "tetrahedra"},
                      {def_.polylines, def_.polyline_index_count, "polylines"},
                      {def_.springs, def_.spring_count, "springs"}};
        for (const auto& a : arrays) {
            if (a.count > 0 && !a.array)
                return fail(TWANG_INVALID_ARGUMENT, "%s is null but its count is %llu", a.name,
                            static_cast<unsigned long long>(a.count));
            if (a.count > max_elements)
                return fail(TWANG_TOO_LARGE, "%llu %s; at most %llu are possible",
                            static_cast<unsigned long long>(a.count), a.name,
                            static_cast<unsigned long long>(max_elements));
        }
        if (def_.vertex_count == 0) return fail(TWANG_OUT_OF_RANGE, "a model needs a vertex");
        if (def_.vertex_count > max_vertices)
            return fail(TWANG_TOO_LARGE, "%u vertices; at most %llu are possible",
                        def_.vertex_count, static_cast<unsigned long long>(max_vertices));
        for (const auto& [name, value] :
             {std::pair{"stiffness", def_.stiffness}, std::pair{"shear", def_.shear},
              std::pair{"bend", def_.bend}, std::pair{"density", def_.density}})
            if (const Status s = check_number(name, value, 0.0, true); s != TWANG_OK) return s;
        if (!def_.masses && def_.density == 0.0) return check_number("mass", def_.mass, 0.0, false);
        return TWANG_OK;
    }

    Status read_positions() {
        network_.positions.resize(def_.vertex_count);
        for (std::uint32_t i = 0; i < def_.vertex_count; ++i) {
            const double* p = def_.positions + 3 * std::size_t{i};
            network_.positions[i] = Vec3{p[0], p[1], p[2]} + Vec3{}; // turns -0 into 0
            if (!finite(network_.positions[i]))
                return fail(TWANG_NOT_FINITE, "position of vertex %u is (%g, %g, %g)", i, p[0],
                            p[1], p[2]);
        }
        for (std::uint32_t i = 0; i < def_.vertex_count; ++i)
            if (const Vec3 p = network_.positions[i]; !fits_float(p))
                return fail(TWANG_OUT_OF_RANGE,
                            "position of vertex %u is (%g, %g, %g), too large for float", i, p.x,
                            p.y, p.z);
        return TWANG_OK;
    }

    Status check_indices(std::span<const std::uint32_t> indices, const char* element,
                         std::size_t number) const {
        for (const std::uint32_t index : indices)
            if (index >= def_.vertex_count)
                return fail(TWANG_INDEX_OUT_OF_RANGE, "%s %zu names vertex %u of %u", element,
                            number, index, def_.vertex_count);
        return TWANG_OK;
    }

    Status read_face(std::span<const std::uint32_t> face, const char* element, std::size_t number) {
        if (const Status s = check_indices(face, element, number); s != TWANG_OK) return s;
        if (face.size() < 3 || repeats(face))
            ++network_.notes.degenerate_faces;
        else
            faces_.add(face);
        return TWANG_OK;
    }

    Status read_faces() {
        for (std::size_t i = 0; i < def_.triangle_count; ++i)
            if (const Status s = read_face({def_.triangles + 3 * i, 3}, "triangle", i);
                s != TWANG_OK)
                return s;
        for (std::size_t i = 0; i < def_.quad_count; ++i)
            if (const Status s = read_face({def_.quads + 4 * i, 4}, "quad", i); s != TWANG_OK)
                return s;
        std::size_t number = 0;
        return for_each_run(def_.polygons, def_.polygon_index_count,
                            [&](auto face) { return read_face(face, "polygon", number++); });
    }

    // Calls f on each run of indices between TWANG_END marks; skips empty runs.
    template <class F>
    static Status for_each_run(const std::uint32_t* indices, std::size_t count, F&& f) {
        for (std::size_t begin = 0; begin < count;) {
            std::size_t end = begin;
            while (end < count && indices[end] != TWANG_END) ++end;
            if (end > begin)
                if (const Status s =
                        f(std::span<const std::uint32_t>(indices + begin, end - begin));
                    s != TWANG_OK)
                    return s;
            begin = end + 1;
        }
        return TWANG_OK;
    }

    Status read_tetrahedra() {
        for (std::size_t i = 0; i < def_.tetrahedron_count; ++i) {
            const std::span<const std::uint32_t> tetrahedron(def_.tetrahedra + 4 * i, 4);
            if (const Status s = check_indices(tetrahedron, "tetrahedron", i); s != TWANG_OK)
                return s;
            if (repeats(tetrahedron))
                ++network_.notes.degenerate_faces;
            else
                tetrahedra_.insert(tetrahedra_.end(), tetrahedron.begin(), tetrahedron.end());
        }
        return TWANG_OK;
    }

    Status read_springs() {
        for (std::uint32_t i = 0; i < def_.spring_count; ++i) {
            const twang_spring_def& s = def_.springs[i];
            const std::uint32_t ends[2] = {s.a, s.b};
            if (const Status status = check_indices(ends, "spring", i); status != TWANG_OK)
                return status;
            if (!std::isfinite(s.stiffness) || !std::isfinite(s.rest_length))
                return fail(TWANG_NOT_FINITE, "spring %u has stiffness %g and rest length %g", i,
                            s.stiffness, s.rest_length);
            if (s.stiffness < 0.0)
                return fail(TWANG_OUT_OF_RANGE, "spring %u has stiffness %g; it must be at least 0",
                            i, s.stiffness);
            if (s.rest_length < 0.0 && s.rest_length != TWANG_MEASURED)
                return fail(TWANG_OUT_OF_RANGE,
                            "spring %u has rest length %g; it must be at least 0, or "
                            "TWANG_MEASURED",
                            i, s.rest_length);
            if (s.kind != TWANG_STRUCTURAL && s.kind != TWANG_SHEAR && s.kind != TWANG_BEND)
                return fail(TWANG_INVALID_ARGUMENT, "spring %u has kind %d", i,
                            static_cast<int>(s.kind));
            if (s.a == s.b)
                ++network_.notes.self_edges;
            else
                add(s.a, s.b, s.stiffness, s.rest_length, s.kind);
        }
        listed_springs_ = network_.springs.size();
        return TWANG_OK;
    }

    Status read_polylines() {
        std::size_t number = 0;
        const Status status =
            for_each_run(def_.polylines, def_.polyline_index_count, [&](auto line) {
                if (const Status s = check_indices(line, "polyline", number++); s != TWANG_OK)
                    return s;
                for (std::size_t i = 0; i + 1 < line.size(); ++i) {
                    if (line[i] == line[i + 1])
                        ++network_.notes.self_edges;
                    else
                        add(line[i], line[i + 1], def_.stiffness, TWANG_MEASURED, TWANG_STRUCTURAL);
                }
                return TWANG_OK;
            });
        listed_springs_ = network_.springs.size();
        return status;
    }

    void add(std::uint32_t a, std::uint32_t b, double stiffness, double rest_length,
             twang_spring_kind kind) {
        if (rest_length == TWANG_MEASURED)
            rest_length = length(network_.positions[a] - network_.positions[b]);
        network_.springs.push_back({a, b, stiffness, rest_length, kind});
    }

    void add_sides() {
        for (std::size_t f = 0; f < faces_.count(); ++f) {
            const auto face = faces_[f];
            for (std::size_t i = 0; i < face.size(); ++i)
                add(face[i], face[(i + 1) % face.size()], def_.stiffness, TWANG_MEASURED,
                    TWANG_STRUCTURAL);
        }
    }

    void add_tetrahedron_edges() {
        for (std::size_t t = 0; t < tetrahedra_.size(); t += 4)
            for (int i = 0; i < 4; ++i)
                for (int j = i + 1; j < 4; ++j)
                    add(tetrahedra_[t + i], tetrahedra_[t + j], def_.stiffness, TWANG_MEASURED,
                        TWANG_STRUCTURAL);
    }

    void add_diagonals() {
        for (std::size_t f = 0; f < faces_.count(); ++f) {
            const auto face = faces_[f];
            if (face.size() != 4) continue;
            add(face[0], face[2], def_.shear, TWANG_MEASURED, TWANG_SHEAR);
            add(face[1], face[3], def_.shear, TWANG_MEASURED, TWANG_SHEAR);
        }
    }

    // Across an edge that two faces share: joins the vertex next to each end of the edge in one
    // face with the vertex next to that end in the other face. Two triangles get a spring between
    // their opposite corners, a grid gets springs that skip one vertex.
    void add_bend() {
        struct Side {
            std::uint64_t edge;
            std::uint32_t beyond_low, beyond_high; // neighbours of the lower and the higher end
        };
        std::vector<Side> sides;
        sides.reserve(faces_.corners.size());
        for (std::size_t f = 0; f < faces_.count(); ++f) {
            const auto face = faces_[f];
            const std::size_t size = face.size();
            for (std::size_t i = 0; i < size; ++i) {
                const std::uint32_t a = face[i], b = face[(i + 1) % size];
                std::uint32_t beyond_a = face[(i + size - 1) % size],
                              beyond_b = face[(i + 2) % size];
                if (a > b) std::swap(beyond_a, beyond_b);
                sides.push_back({pair_key(a, b), beyond_a, beyond_b});
            }
        }
        std::stable_sort(sides.begin(), sides.end(),
                         [](const Side& a, const Side& b) { return a.edge < b.edge; });
        for (std::size_t i = 0; i + 1 < sides.size(); ++i) {
            const Side &first = sides[i], &second = sides[i + 1];
            if (first.edge != second.edge) continue;
            for (const auto& [a, b] : {std::pair{first.beyond_low, second.beyond_low},
                                       std::pair{first.beyond_high, second.beyond_high}})
                if (a != b) add(a, b, def_.bend, TWANG_MEASURED, TWANG_BEND);
        }
    }

    static std::uint64_t pair_key(std::uint32_t a, std::uint32_t b) {
        return (std::uint64_t{std::min(a, b)} << 32) | std::max(a, b);
    }

    // Keeps the first spring of each pair of vertices, because springs are stored in the order of
    // their precedence.
    void keep_first_of_each_pair() {
        std::vector<Spring>& springs = network_.springs;
        std::vector<std::uint32_t> by_pair(springs.size());
        for (std::uint32_t i = 0; i < by_pair.size(); ++i) by_pair[i] = i;
        const auto key = [&](std::uint32_t i) { return pair_key(springs[i].a, springs[i].b); };
        std::sort(by_pair.begin(), by_pair.end(), [&](std::uint32_t i, std::uint32_t j) {
            return key(i) != key(j) ? key(i) < key(j) : i < j;
        });
        std::vector<char> keep(springs.size(), 1);
        for (std::size_t i = 1; i < by_pair.size(); ++i) {
            if (key(by_pair[i]) != key(by_pair[i - 1])) continue;
            keep[by_pair[i]] = 0;
            if (by_pair[i] < listed_springs_) ++network_.notes.duplicate_edges;
        }
        std::size_t kept = 0;
        for (std::size_t i = 0; i < springs.size(); ++i)
            if (keep[i]) springs[kept++] = springs[i];
        springs.resize(kept);
    }

    // Triangulates the faces. Tetrahedra without faces get the triangles of their boundary.
    void triangulate() {
        if (faces_.count() == 0)
            network_.triangles = skin_of(tetrahedra_, network_.positions.data());
        for (std::size_t f = 0; f < faces_.count(); ++f) {
            const auto face = faces_[f];
            for (std::size_t i = 1; i + 1 < face.size(); ++i)
                network_.triangles.insert(network_.triangles.end(),
                                          {face[0], face[i], face[i + 1]});
        }
    }

    double area(std::span<const std::uint32_t> face) const {
        const std::vector<Vec3>& p = network_.positions;
        Vec3 sum{};
        for (std::size_t i = 1; i + 1 < face.size(); ++i)
            sum += cross(p[face[i]] - p[face[0]], p[face[i + 1]] - p[face[0]]);
        return 0.5 * length(sum);
    }

    // Returns the measure of each vertex: the volume, area or length of each element, in equal
    // shares to the vertices of the element.
    std::vector<double> vertex_measures() const {
        const std::vector<Vec3>& p = network_.positions;
        std::vector<double> share(p.size(), 0.0);
        for (std::size_t t = 0; t < tetrahedra_.size(); t += 4) {
            const std::uint32_t* v = &tetrahedra_[t];
            const double volume =
                std::abs(dot(cross(p[v[1]] - p[v[0]], p[v[2]] - p[v[0]]), p[v[3]] - p[v[0]])) / 6.0;
            for (int i = 0; i < 4; ++i) share[v[i]] += volume / 4.0;
        }
        if (!tetrahedra_.empty()) return share;
        for (std::size_t f = 0; f < faces_.count(); ++f)
            for (const std::uint32_t v : faces_[f])
                share[v] += area(faces_[f]) / static_cast<double>(faces_[f].size());
        if (faces_.count() > 0) return share;
        for (const Spring& s : network_.springs)
            for (const std::uint32_t v : {s.a, s.b}) share[v] += 0.5 * length(p[s.a] - p[s.b]);
        return share;
    }

    Status distribute_mass() {
        const std::size_t n = def_.vertex_count;
        std::vector<char> has_spring(n, 0);
        for (const Spring& s : network_.springs) has_spring[s.a] = has_spring[s.b] = 1;
        network_.notes.isolated_vertices =
            static_cast<std::uint32_t>(std::count(has_spring.begin(), has_spring.end(), 0));
        if (def_.masses)
            network_.masses.assign(def_.masses, def_.masses + n);
        else if (const Status status = distribute_by_measure(); status != TWANG_OK)
            return status;
        for (std::size_t i = 0; i < n; ++i)
            if (const double mass = network_.masses[i]; !std::isfinite(mass))
                return fail(TWANG_NOT_FINITE, "mass of vertex %zu is %g", i, mass);
            else if (mass <= 0.0)
                return fail(TWANG_OUT_OF_RANGE, "mass of vertex %zu is %g; it must be above 0", i,
                            mass);
        return TWANG_OK;
    }

    Status distribute_by_measure() {
        std::vector<double> share = vertex_measures();
        double sum = 0.0, measured = 0.0;
        for (const double s : share) sum += s, measured += s > 0.0;
        if (!(sum > 0.0)) {
            if (def_.density > 0.0)
                return fail(TWANG_OUT_OF_RANGE,
                            "a density needs lengths, areas or volumes, and all are 0");
            share.assign(share.size(), 1.0);
            sum = measured = static_cast<double>(share.size());
        }
        for (double& s : share)
            if (s == 0.0) s = sum / measured; // a vertex without a measure gets the mean
        double total = 0.0;
        for (const double s : share) total += s;
        const double factor = def_.density > 0.0 ? def_.density : def_.mass / total;
        for (double& s : share) s *= factor;
        network_.masses = std::move(share);
        return TWANG_OK;
    }

    const twang_mesh_def& def_;
    Network& network_;
    Faces faces_;
    std::vector<std::uint32_t> tetrahedra_;
    // Number of springs from the caller's lists and polylines, stored first.
    std::size_t listed_springs_ = 0;
};

} // namespace

Status build_mesh(const twang_mesh_def& def, Network& network) {
    return MeshBuilder(def, network).build();
}

Status build_cloth(const twang_cloth_def& def, Network& network) {
    const std::uint64_t columns = def.columns, rows = def.rows;
    if (columns == 0 || rows == 0)
        return fail(TWANG_OUT_OF_RANGE, "a cloth of %u columns and %u rows; both must be above 0",
                    def.columns, def.rows);
    if (columns > max_vertices / rows)
        return fail(TWANG_TOO_LARGE, "a cloth of %u x %u vertices; at most %llu are possible",
                    def.columns, def.rows, static_cast<unsigned long long>(max_vertices));
    if (const Status s = check_number("spacing", def.spacing, 0.0, false); s != TWANG_OK) return s;
    if (!finite(def.origin)) return fail(TWANG_NOT_FINITE, "origin is not finite");
    if (!finite(def.across)) return fail(TWANG_NOT_FINITE, "across is not finite");
    if (!finite(def.down)) return fail(TWANG_NOT_FINITE, "down is not finite");

    std::vector<double> positions;
    positions.reserve(3 * columns * rows);
    for (std::uint64_t r = 0; r < rows; ++r)
        for (std::uint64_t c = 0; c < columns; ++c) {
            const Vec3 p = def.origin + (def.spacing * static_cast<double>(c)) * def.across +
                           (def.spacing * static_cast<double>(r)) * def.down;
            positions.insert(positions.end(), {p.x, p.y, p.z});
        }
    std::vector<std::uint32_t> quads, lines;
    for (std::uint32_t r = 0; r + 1 < rows; ++r)
        for (std::uint32_t c = 0; c + 1 < columns; ++c) {
            const std::uint32_t corner = r * def.columns + c;
            quads.insert(quads.end(),
                         {corner, corner + def.columns, corner + def.columns + 1, corner + 1});
        }
    if (quads.empty()) // a single row or column becomes a polyline
        for (std::uint32_t i = 0; i < columns * rows; ++i) lines.push_back(i);

    twang_mesh_def mesh;
    mesh.positions = positions.data();
    mesh.vertex_count = static_cast<std::uint32_t>(columns * rows);
    mesh.quads = quads.data();
    mesh.quad_count = static_cast<std::uint32_t>(quads.size() / 4);
    mesh.polylines = lines.data();
    mesh.polyline_index_count = static_cast<std::uint32_t>(lines.size());
    mesh.stiffness = def.stiffness;
    mesh.shear = def.shear;
    mesh.bend = def.bend;
    mesh.mass = def.mass;
    return build_mesh(mesh, network);
}

} // namespace twang::core
