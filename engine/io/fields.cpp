// Values of the right type in the right range, or a message that names key and line. See
// fields.hpp.
#include "fields.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "failure.hpp"
#include "text.hpp"

namespace twang::io {

namespace {

[[noreturn]] void fail_type(const json::Value& value, std::string_view what, const char* expected,
                            const Notes& notes) {
    notes.fail(value.line, in_quotes(what) + " must be " + expected + ", not " + json::kind(value));
}

bool within(double number, Range range) {
    const bool above_low = range.low_excluded ? number > range.low : number >= range.low;
    return above_low && number <= range.high;
}

std::string described(Range range) {
    const bool bounded = std::isfinite(range.high);
    if (!std::isfinite(range.low)) return bounded ? "at most " + decimal(range.high) : "finite";
    if (bounded) return "from " + decimal(range.low) + " to " + decimal(range.high);
    return (range.low_excluded ? "above " : "at least ") + decimal(range.low);
}

const json::Object& as_object(const json::Value& value, std::string_view what, const Notes& notes) {
    if (!value.object()) fail_type(value, what, "an object", notes);
    return *value.object();
}

} // namespace

void Notes::fail(int line, std::string reason) const { io::fail(file, line, std::move(reason)); }

void Notes::warn(int line, std::string reason) {
    warnings.push_back(Error{file, line, std::move(reason)}.text());
}

void Notes::place_unknown() {
    for (const Unknown& each : unknown) {
        std::string objects;
        for (const Known& place : known) {
            const std::string object = in_quotes(place.object);
            if (place.key != each.key || objects.find(object) != std::string::npos) continue;
            objects += (objects.empty() ? "" : " or ") + object;
        }
        if (!objects.empty()) warnings[each.warning] = each.text + "; it belongs in " + objects;
    }
}

double as_number(const json::Value& value, std::string_view what, const Notes& notes, Range range) {
    if (!value.number()) fail_type(value, what, "a number", notes);
    const double number = *value.number();
    if (!std::isfinite(number)) notes.fail(value.line, in_quotes(what) + " is not finite");
    if (!within(number, range)) {
        notes.fail(value.line,
                   in_quotes(what) + " must be " + described(range) + ", not " + decimal(number));
    }
    return number;
}

std::int64_t as_integer(const json::Value& value, std::string_view what, const Notes& notes,
                        Range range) {
    const double number = as_number(value, what, notes, range);
    constexpr double max_exact = 9007199254740992.0; // 2^53: larger integers are not all doubles
    if (number != std::floor(number) || std::abs(number) > max_exact) {
        notes.fail(value.line, in_quotes(what) + " must be a whole number, not " + decimal(number));
    }
    return static_cast<std::int64_t>(number);
}

Vec3 as_vector(const json::Value& value, std::string_view what, const Notes& notes) {
    const json::Array& list = as_list(value, what, notes);
    if (list.size() < 2 || list.size() > 3) {
        notes.fail(value.line, in_quotes(what) + " must be a vector [x, y, z], not a list of " +
                                   std::to_string(list.size()));
    }
    std::array<double, 3> xyz{};
    for (std::size_t i = 0; i < list.size(); ++i) xyz[i] = as_number(list[i], what, notes);
    return {xyz[0], xyz[1], xyz[2]};
}

const std::string& as_text(const json::Value& value, std::string_view what, const Notes& notes) {
    if (!value.text()) fail_type(value, what, "a text", notes);
    return *value.text();
}

const json::Array& as_list(const json::Value& value, std::string_view what, const Notes& notes) {
    if (!value.array()) fail_type(value, what, "a list", notes);
    return *value.array();
}

Fields::Fields(const json::Value& value, std::string_view what, Notes& notes)
    : object_(as_object(value, what, notes)), line_(value.line), what_(what), notes_(notes) {}

const json::Value* Fields::find(std::string_view key) {
    known_.push_back(key);
    const auto member = std::find_if(object_.begin(), object_.end(),
                                     [&](const json::Member& each) { return each.key == key; });
    return member == object_.end() ? nullptr : &member->value;
}

const json::Value& Fields::need(std::string_view key) {
    const json::Value* const value = find(key);
    if (value) return *value;
    // If an unknown key is similar, the message asks whether that key was meant.
    const auto near = std::find_if(object_.begin(), object_.end(), [&](const json::Member& each) {
        const std::array<std::string_view, 1> wanted = {key};
        const bool unknown = std::find(known_.begin(), known_.end(), each.key) == known_.end();
        return unknown && !nearest(each.key, wanted).empty();
    });
    notes_.fail(line_, in_quotes(what_) + " needs the key " + in_quotes(key) +
                           (near == object_.end() ? "" : "; is it " + in_quotes(near->key) + '?'));
}

const json::Value* Fields::find_one_of(std::initializer_list<std::string_view> keys,
                                       std::string_view& key) {
    const json::Value* found = nullptr;
    for (const std::string_view each : keys) {
        const json::Value* const value = find(each);
        if (!value) continue;
        if (found) {
            notes_.fail(value->line, in_quotes(each) + " and " + in_quotes(key) +
                                         " cannot both be in " + in_quotes(what_));
        }
        found = value;
        key = each;
    }
    return found;
}

double Fields::number(std::string_view key, double otherwise, Range range) {
    const json::Value* const value = find(key);
    return value ? as_number(*value, key, notes_, range) : otherwise;
}

std::int64_t Fields::integer(std::string_view key, std::int64_t otherwise, Range range) {
    const json::Value* const value = find(key);
    return value ? as_integer(*value, key, notes_, range) : otherwise;
}

Vec3 Fields::vector(std::string_view key, Vec3 otherwise) {
    const json::Value* const value = find(key);
    return value ? as_vector(*value, key, notes_) : otherwise;
}

std::string Fields::text(std::string_view key) {
    const json::Value* const value = find(key);
    return value ? as_text(*value, key, notes_) : std::string();
}

double Fields::need_number(std::string_view key, Range range) {
    return as_number(need(key), key, notes_, range);
}

std::int64_t Fields::need_integer(std::string_view key, Range range) {
    return as_integer(need(key), key, notes_, range);
}

void Fields::warn_of_unknown() {
    for (const std::string_view key : known_) notes_.known.push_back({what_, std::string(key)});
    for (const json::Member& member : object_) {
        if (std::find(known_.begin(), known_.end(), member.key) != known_.end()) continue;
        const std::string reason =
            "unknown key " + in_quotes(member.key) + " in " + in_quotes(what_);
        const std::string_view near = nearest(member.key, known_);
        notes_.unknown.push_back(
            {notes_.warnings.size(), member.key, Error{notes_.file, member.line, reason}.text()});
        notes_.warn(member.line,
                    reason + (near.empty() ? "" : "; did you mean " + in_quotes(near) + '?'));
    }
}

} // namespace twang::io
