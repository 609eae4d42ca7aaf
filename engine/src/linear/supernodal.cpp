// Packs L into supernodes: finds runs of columns, merges runs where a model of the cost of a solve
// says so, packs subtrees into tasks, and computes P and D with dense algebra.
#include "linear/supernodal.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>

namespace twang::core {

namespace {

constexpr int block = Panels::block;

// A run of columns that becomes one supernode. `rows` counts the rows below; `cost` is the cost of
// a solve in units of one panel entry. Each row and each supernode has a cost of its own, so
// merging can pay even though merged panels store zeros.
struct Run {
    int first, width, rows;
    double cost;
};

constexpr double row_cost = 5.0, supernode_cost = 30.0;
constexpr int max_run_width =
    32; // columns; D is stored in full, so half of a wide D would be waste

// Returns the cost of a solve with a supernode, in panel entries.
double cost_of(int width, int rows) {
    const double padded = block * blocks_for(rows);
    return width * padded + 0.5 * width * block * blocks_for(width) + row_cost * padded +
           supernode_cost;
}

// Returns the parent of a column in the elimination tree; -1: none.
int parent_of(const LowerFactor& lower, int column) {
    const int below = lower.column_start[column] + 1;
    return below < lower.column_start[column + 1] ? lower.rows[below] : -1;
}

int rows_below(const LowerFactor& lower, int column) {
    return lower.column_start[column + 1] - lower.column_start[column] - 1;
}

// Finds runs of columns with the same rows below, then merges neighbours in the elimination tree
// where the merged run costs no more than both.
std::vector<Run> find_runs(const LowerFactor& lower) {
    std::vector<Run> runs;
    for (int column = 0; column < lower.n; ++column) {
        const int rows = rows_below(lower, column);
        if (!runs.empty()) {
            Run& last = runs.back();
            if (last.width < max_run_width && parent_of(lower, column - 1) == column &&
                last.rows == rows + 1) {
                ++last.width;
                last.rows = rows;
                continue;
            }
        }
        runs.push_back({column, 1, rows, 0.0});
    }
    std::vector<Run> merged;
    for (Run run : runs) {
        run.cost = cost_of(run.width, run.rows);
        while (!merged.empty()) {
            const Run& child = merged.back();
            const int parent = parent_of(lower, child.first + child.width - 1);
            const double cost = cost_of(child.width + run.width, run.rows);
            if (parent < run.first || parent >= run.first + run.width ||
                child.width + run.width > max_run_width || cost > child.cost + run.cost)
                break;
            run = {child.first, child.width + run.width, run.rows, cost};
            merged.pop_back();
        }
        merged.push_back(run);
    }
    return merged;
}

// The elimination tree of supernodes. choose_subtrees splits the heaviest subtree (its root joins
// the top) until the subtrees can be packed into tasks of about equal weight.
struct Tree {
    std::vector<int> parent;    // by supernode
    std::vector<double> weight; // of the subtree, in panel entries
};

Tree make_tree(const LowerFactor& lower, const std::vector<Run>& runs) {
    const int count = static_cast<int>(runs.size());
    std::vector<int> run_of(lower.n);
    for (int s = 0; s < count; ++s) std::fill_n(run_of.begin() + runs[s].first, runs[s].width, s);
    Tree tree{std::vector<int>(count, -1), std::vector<double>(count)};
    for (int s = 0; s < count; ++s) {
        tree.weight[s] += runs[s].cost;
        const int parent = parent_of(lower, runs[s].first + runs[s].width - 1);
        if (parent < 0) continue;
        const int p = run_of[parent];
        tree.parent[s] = p;
        tree.weight[p] += tree.weight[s];
    }
    return tree;
}

std::vector<int> choose_subtrees(const Tree& tree, const std::vector<Run>& runs, int task_count) {
    std::vector<std::vector<int>> children(runs.size());
    std::vector<int> subtrees;
    double total = 0.0;
    for (int s = 0; s < static_cast<int>(runs.size()); ++s)
        if (tree.parent[s] >= 0)
            children[tree.parent[s]].push_back(s);
        else
            subtrees.push_back(s), total += tree.weight[s];
    const auto lighter = [&](int a, int b) {
        return tree.weight[a] != tree.weight[b] ? tree.weight[a] < tree.weight[b] : a < b;
    };
    std::make_heap(subtrees.begin(), subtrees.end(), lighter);
    // A subtree of at most the fair share of a task packs evenly. Smaller subtrees would pack
    // better, but the top would grow, which one worker solves while the other workers wait.
    while (!subtrees.empty() && tree.weight[subtrees.front()] > total / task_count) {
        std::pop_heap(subtrees.begin(), subtrees.end(), lighter);
        const int opened = subtrees.back();
        subtrees.pop_back();
        for (const int child : children[opened]) {
            subtrees.push_back(child);
            std::push_heap(subtrees.begin(), subtrees.end(), lighter);
        }
    }
    std::sort(subtrees.begin(), subtrees.end(), [&](int a, int b) { return lighter(b, a); });
    return subtrees;
}

// Number of tasks for n columns. Below 3,000 the barriers cost more than a second worker saves.
int task_count_for(int n) { return n < 3000 ? 1 : n < 50000 ? 4 : 8; }

// Assigns subtrees, heaviest first, to the task with the least load. subtree_end is, per supernode,
// the first column after its subtree, or n in the top.
void assign_tasks(const LowerFactor& lower, const std::vector<Run>& runs, Panels& panels,
                  std::vector<int>& subtree_end) {
    const int count = static_cast<int>(runs.size());
    const int task_count = task_count_for(lower.n);
    subtree_end.assign(count, lower.n);
    if (task_count == 1) {
        panels.top.resize(count);
        std::iota(panels.top.begin(), panels.top.end(), 0);
    } else {
        const Tree tree = make_tree(lower, runs);
        std::vector<double> load(task_count, 0.0);
        std::vector<int> task_of(count, -1);
        for (const int root : choose_subtrees(tree, runs, task_count)) {
            const auto lightest = std::min_element(load.begin(), load.end()) - load.begin();
            load[lightest] += tree.weight[root];
            task_of[root] = static_cast<int>(lightest);
            subtree_end[root] = runs[root].first + runs[root].width;
        }
        // Parents come after their children; the children of a parent need not be neighbours in the
        // order.
        panels.tasks.resize(task_count);
        for (int s = count - 1; s >= 0; --s) {
            if (const int parent = tree.parent[s]; parent >= 0 && task_of[parent] >= 0) {
                task_of[s] = task_of[parent];
                subtree_end[s] = subtree_end[parent];
            }
            if (task_of[s] >= 0) panels.tasks[task_of[s]].push_back(s);
        }
        for (auto& task : panels.tasks) std::reverse(task.begin(), task.end());
        for (int s = 0; s < count; ++s)
            if (task_of[s] < 0) panels.top.push_back(s);
    }
    for (const int s : panels.top) {
        const int begin = runs[s].first, end = begin + runs[s].width;
        if (!panels.top_columns.empty() && panels.top_columns.back().second == begin)
            panels.top_columns.back().second = end;
        else
            panels.top_columns.push_back({begin, end});
    }
}

// Returns the number of entries of a panel, rounded up so that the next panel begins on a cache
// line.
std::size_t padded_entries(int blocks, int width) {
    return (std::size_t{block} * blocks * width + 15) / 16 * 16;
}

// Lists the rows below each run: rows within its subtree first, then rows of the top. Each part is
// padded to blocks of 8.
void build_row_lists(const LowerFactor& lower, const std::vector<Run>& runs,
                     const std::vector<int>& subtree_end, Panels& panels,
                     std::vector<std::int32_t>& rows) {
    std::size_t panel = 0, diagonal = 0;
    for (std::size_t s = 0; s < runs.size(); ++s) {
        const Run& run = runs[s];
        Supernode node{run.first, run.width, 0, 0, panel, diagonal, rows.size()};
        const int last = run.first + run.width - 1;
        const int* begin = lower.rows.data() + lower.column_start[last] + 1;
        const int* end = begin + run.rows;
        const int* border = std::lower_bound(begin, end, subtree_end[s]);
        const auto pad = [&] {
            while ((rows.size() - node.rows) % block) rows.push_back(lower.n);
            return static_cast<int>((rows.size() - node.rows) / block);
        };
        rows.insert(rows.end(), begin, border);
        node.inner_blocks = pad();
        rows.insert(rows.end(), border, end);
        node.blocks = pad();
        panel += padded_entries(node.blocks, run.width);
        diagonal += padded_entries(blocks_for(run.width), run.width);
        panels.max_blocks = std::max(panels.max_blocks, node.blocks);
        panels.widest = std::max(panels.widest, run.width);
        panels.supernodes.push_back(node);
    }
}

// Converts to half precision.
std::uint16_t to_half(float value) {
    // Rounds to nearest even. The panels have no NaN and no number beyond the range of half; larger
    // numbers would become the largest half.
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t sign = bits >> 16 & 0x8000u;
    const float magnitude = std::abs(value);
    if (magnitude >= 65520.0f) return static_cast<std::uint16_t>(sign | 0x7bffu);
    if (magnitude < 6.103515625e-5f) { // subnormal: a multiple of 2^-24
        const float scaled = magnitude * 16777216.0f;
        return static_cast<std::uint16_t>(sign |
                                          static_cast<std::uint32_t>(std::nearbyint(scaled)));
    }
    const std::uint32_t rest = (bits & 0x7fffffffu) - (112u << 23);
    const std::uint32_t half = rest >> 13, dropped_bits = rest & 0x1fffu;
    return static_cast<std::uint16_t>(
        sign | (half + (dropped_bits > 0x1000u || (dropped_bits == 0x1000u && (half & 1u)))));
}

// Writes a matrix in blocks of 8 rows; row(block, lane) returns -1 for padding.
template <class T, class Row, class Convert>
void write_blocks(const Eigen::Map<Eigen::MatrixXd>& matrix, int blocks, Row&& row, T* out,
                  Convert&& convert) {
    const int width = static_cast<int>(matrix.cols());
    for (int b = 0; b < blocks; ++b)
        for (int column = 0; column < width; ++column) {
            T* to = out + place_of(b, blocks, width, column);
            for (int lane = 0; lane < block; ++lane) {
                const int from = row(b, lane);
                to[lane] = from < 0 ? T{} : convert(matrix(from, column));
            }
        }
}

// Computes P and D of one supernode after the other in double and stores them in the panels.
class Packer {
public:
    Packer(const LowerFactor& lower, twang_precision precision, Panels& panels)
        : lower_(lower), precision_(precision), panels_(panels), dense_row_(lower.n + 1, -1) {
        const std::size_t width = panels.widest, rows = std::size_t{block} * panels.max_blocks;
        dense_buffer_.resize((width + rows) * width);
        p_buffer_.resize(rows * width);
        inverse_buffer_.resize(width * width);
        d_buffer_.resize(width * width);
    }

    void pack(const Supernode& node) {
        read(node);
        const auto l11 = dense_.topRows(node.width);
        map_matrix(inverse_, inverse_buffer_, node.width, node.width);
        map_matrix(d_, d_buffer_, node.width, node.width);
        map_matrix(p_, p_buffer_, row_count_, node.width);
        inverse_.setIdentity();
        l11.triangularView<Eigen::Lower>().solveInPlace(inverse_);
        d_.noalias() = inverse_.transpose().triangularView<Eigen::Upper>() * inverse_;
        if (row_count_ > 0)
            p_.noalias() = dense_.bottomRows(row_count_) * inverse_.triangularView<Eigen::Lower>();
        write(node);
    }

private:
    // A matrix in memory of ours: a matrix that owns its memory does not survive a failed
    // allocation in Eigen.
    using Matrix = Eigen::Map<Eigen::MatrixXd>;
    static void map_matrix(Matrix& matrix, std::vector<double>& buffer, int rows, int columns) {
        new (&matrix) Matrix(buffer.data(), rows, columns);
    }

    // Copies the columns of the supernode to a dense matrix, without padding.
    void read(const Supernode& node) {
        const std::int32_t* rows = panels_.rows.data() + node.rows;
        row_count_ = 0;
        for (int c = 0; c < node.width; ++c) dense_row_[node.first + c] = c;
        for (int i = 0; i < block * node.blocks; ++i)
            if (rows[i] < lower_.n) dense_row_[rows[i]] = node.width + row_count_++;
        map_matrix(dense_, dense_buffer_, node.width + row_count_, node.width);
        dense_.setZero();
        for (int c = 0; c < node.width; ++c)
            for (int k = lower_.column_start[node.first + c];
                 k < lower_.column_start[node.first + c + 1]; ++k)
                dense_(dense_row_[lower_.rows[k]], c) = lower_.values[k];
    }

    void write(const Supernode& node) {
        const std::int32_t* rows = panels_.rows.data() + node.rows;
        const auto p_row = [&](int b, int lane) {
            const std::int32_t row = rows[block * b + lane];
            return row < lower_.n ? dense_row_[row] - node.width : -1;
        };
        const auto d_row = [&](int b, int lane) {
            const int row = block * b + lane;
            return row < node.width ? row : -1;
        };
        const auto to_float = [](double v) { return static_cast<float>(v); };
        const int d_blocks = blocks_for(node.width);
        p_ = -p_;
        if (precision_ == TWANG_PRECISION_HALF) scale(node);
        if (precision_ == TWANG_PRECISION_DOUBLE) {
            const auto same = [](double v) { return v; };
            if (row_count_ > 0)
                write_blocks(p_, node.blocks, p_row, panels_.p_double.data() + node.panel, same);
            write_blocks(d_, d_blocks, d_row, panels_.d_double.data() + node.diagonal, same);
            return;
        }
        if (row_count_ > 0 && precision_ == TWANG_PRECISION_HALF)
            write_blocks(p_, node.blocks, p_row, panels_.p_half.data() + node.panel,
                         [](double v) { return to_half(static_cast<float>(v)); });
        else if (row_count_ > 0)
            write_blocks(p_, node.blocks, p_row, panels_.p_float.data() + node.panel, to_float);
        write_blocks(d_, d_blocks, d_row, panels_.d_float.data() + node.diagonal, to_float);
    }

    // Scales P and D to those of Q with a unit diagonal of L, for half precision.
    void scale(const Supernode& node) {
        const auto root = [&](int i) { return lower_.values[lower_.column_start[i]]; };
        const std::int32_t* rows = panels_.rows.data() + node.rows;
        for (int c = 0; c < node.width; ++c) {
            const double column = root(node.first + c);
            for (int i = 0; i < block * node.blocks; ++i)
                if (rows[i] < lower_.n)
                    p_(dense_row_[rows[i]] - node.width, c) *= column / root(rows[i]);
            for (int i = 0; i < node.width; ++i) d_(i, c) *= column * root(node.first + i);
            panels_.scale[node.first + c] = static_cast<float>(1.0 / column);
        }
    }

    const LowerFactor& lower_;
    twang_precision precision_;
    Panels& panels_;
    std::vector<int> dense_row_; // row of the dense matrix, per column of L
    int row_count_ = 0;
    std::vector<double> dense_buffer_, inverse_buffer_, d_buffer_, p_buffer_;
    Matrix dense_{nullptr, 0, 0}, inverse_{nullptr, 0, 0}, d_{nullptr, 0, 0}, p_{nullptr, 0, 0};
};

// Computes `supernode_of` and `parent`. Must run while padding is still row n everywhere.
void find_parents(Panels& panels) {
    panels.supernode_of.resize(panels.n);
    for (std::size_t s = 0; s < panels.supernodes.size(); ++s) {
        const Supernode& node = panels.supernodes[s];
        std::fill_n(panels.supernode_of.begin() + node.first, node.width, static_cast<int>(s));
    }
    for (const Supernode& node : panels.supernodes) {
        const std::int32_t* rows = panels.rows.data() + node.rows;
        const int first = block * node.blocks > 0
                              ? *std::min_element(rows, rows + block * node.blocks)
                              : panels.n;
        panels.parent.push_back(first < panels.n ? panels.supernode_of[first] : -1);
    }
}

} // namespace

void make_panels(const LowerFactor& lower, twang_precision precision, Panels& panels) {
    panels = {};
    panels.n = lower.n;
    const std::vector<Run> runs = find_runs(lower);
    std::vector<int> subtree_end;
    assign_tasks(lower, runs, panels, subtree_end);
    std::vector<std::int32_t> rows;
    build_row_lists(lower, runs, subtree_end, panels, rows);
    panels.rows = AlignedArray<std::int32_t>(rows.size());
    std::copy(rows.begin(), rows.end(), panels.rows.data());

    std::size_t panel = 0, diagonal = 0;
    for (const Supernode& node : panels.supernodes) {
        panel += padded_entries(node.blocks, node.width);
        diagonal += padded_entries(blocks_for(node.width), node.width);
    }
    std::size_t panel_size = sizeof(float), diagonal_size = sizeof(float);
    if (precision == TWANG_PRECISION_DOUBLE) {
        panels.p_double = AlignedArray<double>(panel);
        panels.d_double = AlignedArray<double>(diagonal);
        panel_size = diagonal_size = sizeof(double);
    } else {
        panels.d_float = AlignedArray<float>(diagonal);
        if (precision == TWANG_PRECISION_HALF) {
            panels.p_half = AlignedArray<std::uint16_t>(panel);
            panels.scale.resize(lower.n);
            panel_size = sizeof(std::uint16_t);
        } else {
            panels.p_float = AlignedArray<float>(panel);
        }
    }
    panels.value_bytes = panel * panel_size + diagonal * diagonal_size;
    panels.touched_bytes =
        2 * panel * panel_size + diagonal * diagonal_size + 2 * rows.size() * sizeof(std::int32_t);
    Packer packer(lower, precision, panels);
    for (const Supernode& node : panels.supernodes) packer.pack(node);
    find_parents(panels);
    // A solve adds 0 at padding, which is a write. Within a task, padding becomes the first column
    // of the supernode, because other tasks do not write there.
    for (const std::vector<int>& task : panels.tasks)
        for (const int s : task) {
            const Supernode& node = panels.supernodes[s];
            std::int32_t* inner = panels.rows.data() + node.rows;
            std::replace(inner, inner + block * node.inner_blocks, lower.n, node.first);
        }
    for (std::size_t i = 0; i < rows.size(); ++i) panels.rows.data()[i] *= 4;
}

} // namespace twang::core
