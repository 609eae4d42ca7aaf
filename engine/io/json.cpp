// Builds the tree of json.hpp from the events of nlohmann's parser, which is not recursive. The
// only file that includes nlohmann/json.hpp.
#include "json.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "failure.hpp"
#include "text.hpp"

namespace twang::io::json {

namespace {

constexpr std::size_t max_levels = 64;
constexpr std::size_t max_keys = 1000; // keeps the search for duplicates cheap
constexpr int number_overflow = 406;   // nlohmann's id of the error of an overflowing number

// The line of the character that was read last. The parser knows that a number has ended only after
// the next character; if that is the line feed of the number's own line, the line must not have
// advanced yet. So a line feed counts when the character after it is read.
struct Lines {
    int line = 1;
    bool ended = false;
    void pass(char c) {
        if (ended) ++line;
        ended = c == '\n';
    }
};

// Characters of a text, counting lines as they are consumed.
class Reader {
public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = const char&;

    Reader(const char* at, Lines& lines) : at_(at), lines_(&lines) {}
    reference operator*() const { return *at_; }
    Reader& operator++() {
        lines_->pass(*at_++);
        return *this;
    }
    Reader operator++(int) {
        Reader before = *this;
        ++*this;
        return before;
    }
    bool operator==(const Reader& other) const { return at_ == other.at_; }
    bool operator!=(const Reader& other) const { return at_ != other.at_; }

private:
    const char* at_;
    Lines* lines_;
};

// Returns nlohmann's message without its prefix and position.
std::string reason_of(const nlohmann::json::exception& error) {
    const std::string_view text = error.what();
    const std::size_t column = text.find(", column ");
    const std::size_t start = column == text.npos ? text.npos : text.find(": ", column);
    const std::string_view rest = start == text.npos ? text : text.substr(start + 2);
    constexpr std::size_t max_length = 160;
    std::string reason;
    for (const char c : rest.substr(0, max_length)) {
        reason += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? '?' : c;
    }
    return "not valid JSON: " + reason + (rest.size() > max_length ? "..." : "");
}

class Builder {
public:
    using Events = nlohmann::json;

    Builder(const std::string& file, const Lines& lines) : file_(file), lines_(lines) {}
    Value take() { return std::move(root_); }

    bool null() { return place(nullptr), true; }
    bool boolean(bool value) { return place(value), true; }
    bool number_integer(Events::number_integer_t value) {
        return place(static_cast<double>(value)), true;
    }
    bool number_unsigned(Events::number_unsigned_t value) {
        return place(static_cast<double>(value)), true;
    }
    bool number_float(double value, const std::string& written) {
        if (!std::isfinite(value)) fail_here("the number " + in_quotes(written) + " is not finite");
        return place(value), true;
    }
    bool string(std::string& value) { return place(std::move(value)), true; }
    bool binary(Events::binary_t&) { return false; } // does not occur in text
    bool start_object(std::size_t) { return open(Object()), true; }
    bool start_array(std::size_t) { return open(Array()), true; }
    bool end_object() { return open_.pop_back(), true; }
    bool end_array() { return open_.pop_back(), true; }

    bool key(std::string& key) {
        Object& object = std::get<Object>(open_.back()->content);
        for (const Member& member : object) {
            if (member.key != key) continue;
            fail_here("the key " + in_quotes(key) + " appears twice, first on line " +
                      std::to_string(member.line));
        }
        if (object.size() == max_keys) fail_here("an object has more than 1000 keys");
        object.push_back({std::move(key), lines_.line, {}});
        return true;
    }

    bool parse_error(std::size_t, const std::string& token,
                     const nlohmann::json::exception& error) {
        if (error.id == number_overflow)
            fail_here("the number " + in_quotes(token) + " is not finite");
        fail_here(reason_of(error));
    }

private:
    [[noreturn]] void fail_here(std::string reason) { fail(file_, lines_.line, std::move(reason)); }

    template <class Content>
    Value& place(Content content) {
        Value* value = &root_;
        if (!open_.empty()) {
            if (Array* array = std::get_if<Array>(&open_.back()->content)) {
                value = &array->emplace_back();
            } else {
                value = &std::get<Object>(open_.back()->content).back().value;
            }
        }
        value->content = std::move(content);
        value->line = lines_.line;
        return *value;
    }

    // Addresses in open_ stay valid: a container does not grow while a container inside it is open.
    template <class Container>
    void open(Container container) {
        if (open_.size() == max_levels) fail_here("nested too deeply: more than 64 levels");
        open_.push_back(&place(std::move(container)));
    }

    const std::string& file_;
    const Lines& lines_;
    Value root_;
    std::vector<Value*> open_;
};

} // namespace

Value parse(const std::string& file, std::string_view text) {
    Lines lines;
    Builder builder(file, lines);
    const Reader begin(text.data(), lines), end(text.data() + text.size(), lines);
    if (!nlohmann::json::sax_parse(begin, end, &builder)) fail(file, lines.line, "not valid JSON");
    return builder.take();
}

const char* kind(const Value& value) {
    static constexpr const char* kinds[] = {"null",   "a boolean", "a number",
                                            "a text", "a list",    "an object"};
    return kinds[value.content.index()];
}

} // namespace twang::io::json
