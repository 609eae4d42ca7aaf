// Typed, range-checked access to the values of a JSON object. Whatever is wrong fails with its line
// and the name of the key; keys nobody asked for become warnings with the nearest known one.
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

// Where the messages about one file go.
struct Notes {
    std::string file;
    std::vector<std::string> warnings;

    [[noreturn]] void fail(int line, std::string reason) const;
    void warn(int line, std::string reason);
};

struct Range {
    double low = -std::numeric_limits<double>::infinity();
    double high = std::numeric_limits<double>::infinity();
    bool low_excluded = false;
};
constexpr Range at_least(double low) { return {.low = low}; }
constexpr Range above(double low) { return {.low = low, .low_excluded = true}; }
constexpr Range between(double low, double high) { return {.low = low, .high = high}; }

// The value as what it should be; `what` is named in the message.
double as_number(const json::Value& value, std::string_view what, const Notes& notes,
                 Range range = {});
std::int64_t as_integer(const json::Value& value, std::string_view what, const Notes& notes,
                        Range range = {});
Vec3 as_vector(const json::Value& value, std::string_view what, const Notes& notes); // z may miss
const std::string& as_text(const json::Value& value, std::string_view what, const Notes& notes);
const json::Array& as_list(const json::Value& value, std::string_view what, const Notes& notes);

class Fields {
public:
    // `what` is the object's name in messages. Fails when the value is no object.
    Fields(const json::Value& value, std::string_view what, Notes& notes);

    // The value of a key that may be missing. From now on the key is a known one.
    const json::Value* find(std::string_view key);
    const json::Value& need(std::string_view key);
    // The only one of these keys that is there, none excepted; `key` is set to it.
    const json::Value* find_one_of(std::initializer_list<std::string_view> keys,
                                   std::string_view& key);

    double number(std::string_view key, double otherwise, Range range = {});
    std::int64_t integer(std::string_view key, std::int64_t otherwise, Range range);
    Vec3 vector(std::string_view key, Vec3 otherwise);
    std::string text(std::string_view key);
    double need_number(std::string_view key, Range range = {});
    std::int64_t need_integer(std::string_view key, Range range);

    // To be called when all keys have been asked for.
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
