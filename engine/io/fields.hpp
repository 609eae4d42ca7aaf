// Typed, range-checked access to the values of a JSON object. A wrong value fails with its line and
// the name of its key. A key that the reader has not asked for becomes a warning that names the
// object it belongs in, or the nearest known key.
#ifndef TWANG_IO_FIELDS_HPP
#define TWANG_IO_FIELDS_HPP

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <twang/io.hpp>

#include "json.hpp"

namespace twang::io {

// Name of a file and the warnings about it.
struct Notes {
    std::string file;
    std::vector<std::string> warnings;
    struct Known {
        std::string object, key;
    };
    struct Unknown {
        std::size_t warning; // its index
        std::string key;
        std::string text; // of the warning, without advice
    };
    std::vector<Known> known = {}; // all keys that were asked for in this file
    std::vector<Unknown> unknown = {};

    [[noreturn]] void fail(int line, std::string reason) const;
    void warn(int line, std::string reason);
    // To be called when the file has been read: warnings of unknown keys that are known in another
    // object of the file then name that object.
    void place_unknown();
};

struct Range {
    double low = -std::numeric_limits<double>::infinity();
    double high = std::numeric_limits<double>::infinity();
    bool low_excluded = false;
};
constexpr Range at_least(double low) { return {.low = low}; }
constexpr Range above(double low) { return {.low = low, .low_excluded = true}; }
constexpr Range between(double low, double high) { return {.low = low, .high = high}; }

// Return the value as the type and in the range asked for, or fail; `what` is its name in the
// message.
double as_number(const json::Value& value, std::string_view what, const Notes& notes,
                 Range range = {});
std::int64_t as_integer(const json::Value& value, std::string_view what, const Notes& notes,
                        Range range = {});
Vec3 as_vector(const json::Value& value, std::string_view what, const Notes& notes); // z optional
const std::string& as_text(const json::Value& value, std::string_view what, const Notes& notes);
const json::Array& as_list(const json::Value& value, std::string_view what, const Notes& notes);

class Fields {
public:
    // `what` is the object's name in messages. Fails unless the value is an object.
    Fields(const json::Value& value, std::string_view what, Notes& notes);

    // Returns the value of a key, or null if the key is missing. Marks the key as known.
    const json::Value* find(std::string_view key);
    // Returns the value of a key; fails if the key is missing.
    const json::Value& need(std::string_view key);
    // Returns the value of the one key of this list that is present, and sets `key`; null if none
    // is present. Fails if several are.
    const json::Value* find_one_of(std::initializer_list<std::string_view> keys,
                                   std::string_view& key);

    double number(std::string_view key, double otherwise, Range range = {});
    std::int64_t integer(std::string_view key, std::int64_t otherwise, Range range);
    Vec3 vector(std::string_view key, Vec3 otherwise);
    std::string text(std::string_view key);
    double need_number(std::string_view key, Range range = {});
    std::int64_t need_integer(std::string_view key, Range range);

    // Warns of every key that was never asked for. Called last.
    void warn_of_unknown();

    int line() const { return line_; }

private:
    const json::Object& object_;
    int line_;
    std::string what_;
    Notes& notes_;
    std::vector<std::string_view> known_;
};

} // namespace twang::io

#endif // TWANG_IO_FIELDS_HPP
