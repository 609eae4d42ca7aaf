// Files in memory, numbers and words. See text.hpp.
#include "text.hpp"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <limits>
#include <memory>
#include <vector>

#include "failure.hpp"

namespace twang::io {

namespace {

// bytes. Indices are 32 bits wide; a text below this size cannot overflow them.
constexpr std::size_t max_file_size = std::size_t{1} << 31;

struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
};

[[noreturn]] void fail_unreadable(const std::string& path, const std::string& why) {
    fail(path, 0, "cannot be read: " + why, Exit::unreadable);
}

// Number of insertions, deletions, replacements and swaps of neighbours that turn one word into the
// other (optimal string alignment distance).
std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before(b.size() + 1), previous(b.size() + 1), current(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) previous[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        current[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replaced = previous[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            current[j] = std::min({previous[j] + 1, current[j - 1] + 1, replaced});
            const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped) current[j] = std::min(current[j], before[j - 2] + 1);
        }
        std::swap(before, previous);
        std::swap(previous, current);
    }
    return previous[b.size()];
}

std::string_view without_plus(std::string_view word) {
    const bool plus = word.size() > 1 && word[0] == '+' && word[1] != '-' && word[1] != '+';
    return plus ? word.substr(1) : word;
}

} // namespace

std::string load_text(const std::string& path) {
    namespace fs = std::filesystem;
    std::error_code code;
    const fs::file_status status = fs::status(path, code);
    if (!fs::status_known(status)) fail_unreadable(path, code.message());
    if (!fs::exists(status)) fail_unreadable(path, "no such file");
    if (fs::is_directory(status)) fail_unreadable(path, "it is a directory");
    if (!fs::is_regular_file(status) && !fs::is_fifo(status)) {
        fail_unreadable(path, "it is not a regular file");
    }
    const std::unique_ptr<std::FILE, CloseFile> file(std::fopen(path.c_str(), "rb"));
    if (!file) fail_unreadable(path, std::strerror(errno));

    std::string text;
    const std::uintmax_t size = fs::is_regular_file(status) ? fs::file_size(path, code) : 0;
    if (!code && size < max_file_size) text.reserve(static_cast<std::size_t>(size));
    char chunk[1 << 16];
    while (const std::size_t count = std::fread(chunk, 1, sizeof chunk, file.get())) {
        if (text.size() + count >= max_file_size) fail(path, 0, "the file is larger than 2 GiB");
        text.append(chunk, count);
    }
    if (std::ferror(file.get())) fail_unreadable(path, std::strerror(errno));
    if (const std::size_t nul = text.find('\0'); nul != text.npos) {
        const auto line_feeds = std::count(text.data(), text.data() + nul, '\n');
        fail(path, static_cast<int>(line_feeds) + 1, "a NUL byte: this is not a text file");
    }
    return text;
}

std::string extension_of(const std::string& path) {
    std::string extension = std::filesystem::path(path).extension().string();
    for (char& c : extension) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return extension;
}

std::optional<double> to_double(std::string_view word) {
    word = without_plus(word);
    const char* const end = word.data() + word.size();
    double value = 0.0;
    const auto [stop, code] = std::from_chars(word.data(), end, value);
    if (stop != end || word.empty()) return std::nullopt;
    if (code == std::errc()) return value;
    if (code != std::errc::result_out_of_range) return std::nullopt;
    long double wide = 0.0L; // distinguishes overflow from underflow
    const auto wide_code = std::from_chars(word.data(), end, wide).ec;
    if (wide_code == std::errc()) return static_cast<double>(wide);
    return std::numeric_limits<double>::infinity();
}

std::optional<std::int64_t> to_integer(std::string_view word) {
    word = without_plus(word);
    const char* const end = word.data() + word.size();
    std::int64_t value = 0;
    const auto [stop, code] = std::from_chars(word.data(), end, value);
    if (stop != end || code != std::errc()) return std::nullopt;
    return value;
}

std::string in_quotes(std::string_view word) {
    constexpr std::size_t max_length = 40;
    std::string text = "'";
    for (const char c : word.substr(0, max_length)) {
        const auto byte = static_cast<unsigned char>(c);
        text += byte < 0x20 || byte == 0x7F ? '?' : c;
    }
    return text + (word.size() > max_length ? "...'" : "'");
}

std::string decimal(double number) {
    char text[32];
    const int length = std::snprintf(text, sizeof text, "%.9g", number);
    return {text, static_cast<std::size_t>(length)};
}

std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates) {
    // Longer than any key; the cost grows with the product of the lengths.
    constexpr std::size_t max_length = 64;
    if (word.size() > max_length) return {};
    std::string_view best;
    std::size_t min_distance = std::max<std::size_t>(1, word.size() / 2) + 1;
    for (const std::string_view candidate : candidates) {
        const std::size_t distance = edit_distance(word, candidate);
        if (distance >= min_distance) continue;
        min_distance = distance;
        best = candidate;
    }
    return best;
}

} // namespace twang::io
