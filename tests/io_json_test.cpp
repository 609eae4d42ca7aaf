// JSON with lines: every value knows its own, and nothing in a file can bring the reader down.
#include "../engine/io/json.hpp"

#include "../engine/io/failure.hpp"
#include "../engine/io/text.hpp"
#include "io_support.hpp"

namespace twang::io::test {
namespace {

Result<json::Value> parse(const std::string& text) {
    return guarded("a.json", [&] { return json::parse("a.json", text); });
}

TEST(Json, ValuesKnowTheirLines) {
    const Result<json::Value> root = parse(
        "\n{\n  \"a\": 1,\n  \"b\": 2\n  ,\n  \"c\": [3,\n 4\n,\"five\",\n true],\n"
        "  \"d\":\n   {\"e\": null}\n}\n");
    ASSERT_TRUE(root) << root.error().text();
    EXPECT_EQ(root->line, 2);
    const json::Object& object = *root->object();
    ASSERT_EQ(object.size(), 4u);
    EXPECT_EQ(object[0].value.line, 3); // a number before a comma
    EXPECT_EQ(object[1].value.line, 4); // a number before a line feed
    EXPECT_EQ(object[2].line, 6);
    const json::Array& list = *object[2].value.array();
    EXPECT_EQ(list[0].line, 6);
    EXPECT_EQ(list[1].line, 7);
    EXPECT_EQ(list[2].line, 8);
    EXPECT_EQ(list[3].line, 9);
    EXPECT_EQ(object[3].line, 10);
    EXPECT_EQ(object[3].value.line, 11);
    EXPECT_EQ(*list[1].number(), 4.0);
    EXPECT_EQ(*list[2].text(), "five");
    EXPECT_TRUE(*list[3].boolean());
}

TEST(Json, NumbersOfEveryKind) {
    const Result<json::Value> root = parse("[0, -7, 18446744073709551615, 2.5e-3, -0.0, 1e-400]");
    ASSERT_TRUE(root);
    const std::vector<double> expected = {0.0, -7.0, 18446744073709551615.0, 2.5e-3, 0.0, 0.0};
    for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_EQ(*(*root->array())[i].number(), expected[i]);
    }
}

TEST(Json, FaultsNameTheirLine) {
    const std::vector<Fault> faults = {
        {"", 1, "not valid JSON"},
        {"{", 1, "unexpected end of input"},
        {"{\n\"a\": 1\n", 2, "unexpected end of input"},
        {"{\n\"a\": 1\n\"b\": 2}", 3, "not valid JSON"},
        {"{\n\"a\" 1\n}", 2, "not valid JSON"},
        {"{\"a\": 1,\n}", 2, "not valid JSON"},
        {"{}\n{}", 2, "not valid JSON"},
        {"{}\nx", 2, "invalid literal"},
        {"{\n\"a\": nan}", 2, "invalid literal"},
        {"{\n\"a\": NaN}", 2, "invalid literal"},
        {"{\n\"a\": Infinity}", 2, "invalid literal"},
        {"{\n\"a\":\n1e999}", 3, "'1e999' is not finite"},
        {"{\n\"a\":\n-1e999}", 3, "is not finite"},
        {"{\n\"a\": 1,\n\"b\": 2,\n\"a\": 3}", 4, "'a' appears twice, first on line 2"},
        {"{\n\"a\": \"open}\n", 2, "not valid JSON"},
        {"{\"a\": \"\xff\"}", 1, "not valid JSON"},
        {"{\"a\": \"\\ud800\"}", 1, "not valid JSON"},
        {"// no comments\n{}", 1, "not valid JSON"},
        {"{\"" + std::string(1 << 20, 'k') + "\n", 1, "not valid JSON"},
        {std::string(100000, '['), 1, "nested too deeply"},
        {"[\n" + std::string(100000, '[') + std::string(100000, ']'), 2, "nested too deeply"},
    };
    for (const Fault& fault : faults) expect_fault(parse(fault.content), "a.json", fault);
}

TEST(Json, DeepObjectsAreRefused) {
    std::string text;
    for (int i = 0; i < 100000; ++i) text += "{\"a\":";
    expect_fault(parse(text), "a.json", {"deep", 1, "nested too deeply"});
}

TEST(Json, SixtyFourLevelsAreRead) {
    EXPECT_TRUE(parse(std::string(64, '[') + std::string(64, ']')));
    EXPECT_FALSE(parse(std::string(65, '[') + std::string(65, ']')));
}

TEST(Json, ManyKeysAreRefusedQuickly) {
    std::string text = "{";
    for (int i = 0; i < 100000; ++i) text.append(1, '"').append(std::to_string(i)).append("\":0,");
    expect_fault(parse(text), "a.json", {"keys", 1, "more than 1000 keys"});
}

TEST(Text, NearestWord) {
    const std::vector<std::string_view> keys = {"stiffness", "shear", "bend", "mass"};
    EXPECT_EQ(nearest("stifness", keys), "stiffness");
    EXPECT_EQ(nearest("shaer", keys), "shear");
    EXPECT_EQ(nearest("Mass", keys), "mass");
    EXPECT_EQ(nearest("zzzzzz", keys), "");
    EXPECT_EQ(nearest(std::string(1 << 20, 'm'), keys), "");
}

TEST(Text, NumbersAreTheWholeWord) {
    EXPECT_EQ(to_double("1.5"), 1.5);
    EXPECT_EQ(to_double("+1.5e2"), 150.0);
    EXPECT_EQ(to_double("-.5"), -0.5);
    EXPECT_EQ(to_double("1e-320"), 1e-320);
    EXPECT_EQ(to_double("1e400"), HUGE_VAL);
    for (const char* const word : {"", "+", "-", "1.5x", "x", "1,5", "++1", "+-1", "0x10"}) {
        EXPECT_FALSE(to_double(word)) << word;
    }
    EXPECT_EQ(to_integer("-12"), -12);
    EXPECT_EQ(to_integer("+12"), 12);
    for (const char* const word : {"", "1.0", "1e3", "9223372036854775808"}) {
        EXPECT_FALSE(to_integer(word)) << word;
    }
}

} // namespace
} // namespace twang::io::test
