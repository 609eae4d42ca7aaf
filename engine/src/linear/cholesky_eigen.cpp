// Order and Cholesky by Eigen: for builds without code under the GPL or LGPL.
#include <Eigen/OrderingMethods>
#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>
#include <algorithm>
#include <cmath>
#include <variant>

#include "linear/cholesky.hpp"

namespace twang::core {

namespace {

using Sparse = Eigen::SparseMatrix<double, Eigen::ColMajor, int>;
using View = Eigen::Map<const Sparse>;
using Natural = Eigen::NaturalOrdering<int>;
using Llt = Eigen::SimplicialLLT<Sparse, Eigen::Lower, Natural>;
using Ldlt = Eigen::SimplicialLDLT<Sparse, Eigen::Lower, Natural>;

View view(const Pattern& pattern, const double* values) {
    return View(pattern.n, pattern.n, static_cast<int>(pattern.rows.size()),
                pattern.column_start.data(), pattern.rows.data(), values);
}

// Returns a postorder of the elimination tree: children directly before their parents. A postorder
// does not change the fill, and columns of one supernode become neighbours.
std::vector<int> postorder(const Sparse& upper) {
    const int n = static_cast<int>(upper.cols());
    std::vector<int> parent(n, -1), ancestor(n, -1), head(n, -1), next(n, -1), order, stack;
    for (int column = 0; column < n; ++column)
        for (Sparse::InnerIterator entry(upper, column); entry && entry.row() < column; ++entry)
            for (int i = static_cast<int>(entry.row()); i != -1 && i < column;) {
                const int up = ancestor[i];
                ancestor[i] = column;
                if (up == -1) parent[i] = column;
                i = up;
            }
    for (int i = n - 1; i >= 0; --i)
        if (parent[i] >= 0) next[i] = head[parent[i]], head[parent[i]] = i;
    for (int root = 0; root < n; ++root) {
        if (parent[root] >= 0) continue;
        stack.push_back(root);
        while (!stack.empty()) {
            const int node = stack.back();
            if (head[node] >= 0) {
                stack.push_back(head[node]);
                head[node] = next[head[node]];
            } else {
                order.push_back(node);
                stack.pop_back();
            }
        }
    }
    return order;
}

} // namespace

Status find_order(const Pattern& pattern, Ordering, std::vector<int>& order) {
    const std::vector<double> ones(pattern.rows.size(), 1.0);
    // Assigned, not constructed: constructors of Eigen leak when memory runs out halfway.
    Sparse lower, full;
    lower = view(pattern, ones.data());
    full = lower.selfadjointView<Eigen::Lower>();
    Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> to_old; // indices()[new] = old
    Eigen::AMDOrdering<int>()(full, to_old);
    Sparse permuted(pattern.n, pattern.n);
    permuted.selfadjointView<Eigen::Upper>() =
        lower.selfadjointView<Eigen::Lower>().twistedBy(to_old.inverse());
    const std::vector<int> post = postorder(permuted);
    order.resize(pattern.n);
    for (int i = 0; i < pattern.n; ++i) order[i] = to_old.indices()[post[i]];
    return TWANG_OK;
}

struct Factor::Library {
    const Pattern* pattern = nullptr;
    std::variant<Llt, Ldlt> factor;
};

Factor::Factor() : library_(std::make_unique<Library>()) {}
Factor::~Factor() = default;

Status Factor::analyse(const Pattern& pattern, Form form) {
    library_->pattern = &pattern;
    if (form == Form::ldlt)
        library_->factor.emplace<Ldlt>();
    else
        library_->factor.emplace<Llt>();
    const std::vector<double> ones(pattern.rows.size(), 1.0);
    std::visit([&](auto& factor) { factor.analyzePattern(view(pattern, ones.data())); },
               library_->factor);
    return TWANG_OK;
}

Status Factor::factorise(const double* values) {
    const Pattern& pattern = *library_->pattern;
    return std::visit(
        [&](auto& factor) {
            factor.factorize(view(pattern, values));
            if (factor.info() != Eigen::Success)
                return fail(TWANG_FACTOR_FAILED, "the matrix is not positive definite");
            for (int column = 0; column < pattern.n; ++column) {
                double diagonal;
                if constexpr (std::is_same_v<std::decay_t<decltype(factor)>, Ldlt>)
                    diagonal = factor.vectorD()[column];
                else
                    diagonal = factor.matrixL().nestedExpression().valuePtr()
                                   [factor.matrixL().nestedExpression().outerIndexPtr()[column]];
                if (!std::isfinite(diagonal) || diagonal <= 0.0)
                    return fail(TWANG_FACTOR_FAILED, "the factor's diagonal is %g in column %d",
                                diagonal, column);
            }
            return TWANG_OK;
        },
        library_->factor);
}

Status Factor::solve(double* b) {
    Eigen::Map<Eigen::VectorXd> vector(b, library_->pattern->n);
    std::visit([&](auto& factor) { vector = factor.solve(vector).eval(); }, library_->factor);
    return TWANG_OK;
}

Status Factor::extract(LowerFactor& lower) const {
    const Llt& llt = std::get<Llt>(library_->factor);
    const auto& matrix = llt.matrixL().nestedExpression();
    lower.n = static_cast<int>(matrix.cols());
    lower.column_start.assign(matrix.outerIndexPtr(), matrix.outerIndexPtr() + lower.n + 1);
    lower.rows.assign(matrix.innerIndexPtr(), matrix.innerIndexPtr() + matrix.nonZeros());
    lower.values.assign(matrix.valuePtr(), matrix.valuePtr() + matrix.nonZeros());
    return TWANG_OK;
}

} // namespace twang::core
