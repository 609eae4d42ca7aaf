// error: one table of codes, and a message per thread that says what went wrong last.
#include "base/error.hpp"

#include <set>
#include <string>
#include <thread>

#include "api_support.hpp"

using namespace api;
using twang::core::fail;

TEST(Error, EveryStatusHasItsNameAndItsOwnSentence) {
    std::set<std::string> names, texts;
    for (int i = 0; i < TWANG_STATUS_COUNT; ++i) {
        const auto status = static_cast<twang_status>(i);
        names.insert(twang_status_name(status));
        texts.insert(twang_status_text(status));
    }
    EXPECT_EQ(names.size(), TWANG_STATUS_COUNT);
    EXPECT_EQ(texts.size(), TWANG_STATUS_COUNT);
    EXPECT_EQ(names.count("?"), 0u);
    EXPECT_EQ(texts.count(""), 0u);
    EXPECT_STREQ(twang_status_name(TWANG_OK), "OK");
    EXPECT_STREQ(twang_status_name(TWANG_OUT_OF_RANGE), "OUT_OF_RANGE");
    EXPECT_STREQ(twang_status_name(TWANG_INTERNAL), "INTERNAL");
}

TEST(Error, ANumberThatIsNoStatusIsAQuestionMark) {
    EXPECT_STREQ(twang_status_name(TWANG_STATUS_COUNT), "?");
    EXPECT_STREQ(twang_status_text(TWANG_STATUS_COUNT), "?");
    EXPECT_STREQ(twang_status_name(static_cast<twang_status>(TWANG_STATUS_COUNT + 5)), "?");
}

TEST(Error, FailRemembersItsMessageAndReturnsItsStatus) {
    EXPECT_EQ(fail(TWANG_TOO_LARGE, "%d of %s", 7, "nine"), TWANG_TOO_LARGE);
    EXPECT_STREQ(twang_last_error(), "7 of nine");
    EXPECT_STREQ(twang::core::last_error(), twang_last_error());
}

TEST(Error, ALongMessageIsCutNotOverrun) {
    const std::string endless(10000, 'x');
    fail(TWANG_INTERNAL, "%s", endless.c_str());
    const std::string kept = twang_last_error();
    EXPECT_GE(kept.size(), 100u);
    EXPECT_LT(kept.size(), endless.size());
    EXPECT_EQ(kept, endless.substr(0, kept.size()));
}

TEST(Error, ASuccessfulCallKeepsTheMessageOfTheFailedOne) {
    EXPECT_TRUE(fails(TWANG_INVALID_ARGUMENT, "def", twang_default_cloth(nullptr)));
    const std::string message = twang_last_error();
    twang_cloth_def def;
    EXPECT_TRUE(ok(twang_default_cloth(&def)));
    EXPECT_EQ(twang_last_error(), message);
}

TEST(Error, EveryThreadHasItsOwnMessage) {
    fail(TWANG_INTERNAL, "mine");
    std::string fresh = "not run", theirs;
    std::thread([&] {
        fresh = twang_last_error();
        fail(TWANG_INTERNAL, "theirs");
        theirs = twang_last_error();
    }).join();
    EXPECT_EQ(fresh, "");
    EXPECT_EQ(theirs, "theirs");
    EXPECT_STREQ(twang_last_error(), "mine");
}
