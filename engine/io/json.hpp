// JSON as a small tree in which every value has its line, so that a wrong value can be reported as
// precisely as a syntax error. The meaning of keys is checked in fields.hpp.
#ifndef TWANG_IO_JSON_HPP
#define TWANG_IO_JSON_HPP

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace twang::io::json {

struct Member;
struct Value;
using Array = std::vector<Value>;
using Object = std::vector<Member>; // in the order of the file; no key twice

struct Value {
    std::variant<std::nullptr_t, bool, double, std::string, Array, Object> content;
    int line = 0;

    const bool* boolean() const { return std::get_if<bool>(&content); }
    const double* number() const { return std::get_if<double>(&content); }
    const std::string* text() const { return std::get_if<std::string>(&content); }
    const Array* array() const { return std::get_if<Array>(&content); }
    const Object* object() const { return std::get_if<Object>(&content); }
};

struct Member {
    std::string key;
    int line = 0;
    Value value;
};

// Fails (see failure.hpp) on bad syntax, a key that appears twice, a number that is not finite and
// more than 64 levels. `file` is for the messages only.
Value parse(const std::string& file, std::string_view text);

// Returns the kind of a value for messages: "an object", "a number" ...
const char* kind(const Value& value);

} // namespace twang::io::json

#endif // TWANG_IO_JSON_HPP
