#include "app/nearest.hpp"

#include <algorithm>
#include <cstddef>

namespace twang::demo {
namespace {

// Levenshtein distance: the number of letters to insert, delete or replace.
std::size_t edit_distance(std::string_view from, std::string_view to) {
    std::vector<std::size_t> row(to.size() + 1);
    for (std::size_t j = 0; j <= to.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= from.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= to.size(); ++j) {
            const std::size_t replaced = diagonal + (from[i - 1] == to[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
        }
    }
    return row.back();
}

} // namespace

std::string nearest(std::string_view word, const std::vector<std::string>& known) {
    // Letters; a longer word is no typing error of an option or scene.
    constexpr std::size_t max_length = 64;
    if (word.empty() || word.size() > max_length) return {};
    std::string best;
    // Accepts two errors, or a third of a long word's letters, but never a change of every letter.
    std::size_t best_distance =
        std::min(std::max<std::size_t>(2, word.size() / 3) + 1, word.size());
    for (const std::string& candidate : known) {
        const std::size_t distance = edit_distance(word, candidate);
        if (distance < best_distance) {
            best_distance = distance;
            best = candidate;
        }
    }
    return best;
}

} // namespace twang::demo
