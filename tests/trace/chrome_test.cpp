#include "trace/text/json.hpp"

#include <gtest/gtest.h>

namespace polder::trace {
namespace {

std::string json(std::string_view text) {
  std::string to;
  append_json_string(to, text);
  return to;
}

TEST(JsonString, EscapesWhatMustBeEscaped) {
  EXPECT_EQ(json("plain"), "\"plain\"");
  EXPECT_EQ(json("a\"b\\c"), "\"a\\\"b\\\\c\"");
  EXPECT_EQ(json("tab\tnul" + std::string(1, '\0')), "\"tab\\u0009nul\\u0000\"");
}

TEST(JsonString, KeepsUtf8) {
  for (const char* text : {"é", "€", "𝄞", "Größe 10 µs"}) EXPECT_EQ(json(text), "\"" + std::string(text) + "\"");
}

TEST(JsonString, ReplacesBytesThatAreNoUtf8) {
  const std::string bad = "\xef\xbf\xbd";
  EXPECT_EQ(json("\xff"), "\"" + bad + "\"");
  EXPECT_EQ(json("a\xc3"), "\"a" + bad + "\"") << "cut in the middle of a character";
  EXPECT_EQ(json("\xc0\x80"), "\"" + bad + bad + "\"") << "overlong";
  EXPECT_EQ(json("\xed\xa0\x80"), "\"" + bad + bad + bad + "\"") << "a surrogate";
  EXPECT_EQ(json("\xf4\x90\x80\x80"), "\"" + bad + bad + bad + bad + "\"") << "above U+10FFFF";
}

}  // namespace
}  // namespace polder::trace
