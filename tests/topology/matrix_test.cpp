// Who sent how much to whom, as text: CSV, and JSON as `polder trace stats --json` prints it.
#include <polder/topology.hpp>

#include <gtest/gtest.h>

namespace polder::test {
namespace {

std::string fault_of(const std::string& text) {
  const auto pattern = matrix_pattern(text);
  if (pattern.ok()) return "a pattern";
  EXPECT_EQ(pattern.status().code(), Code::invalid_argument) << text;
  return std::string(pattern.status().message());
}

// Of one neighbour of place 0.
double weight_to(const CommunicationPattern& pattern, Rank neighbour) {
  for (std::size_t e = pattern.begin[0]; e < pattern.begin[1]; ++e)
    if (pattern.neighbour[e] == neighbour) return pattern.weight[e];
  return 0;
}

TEST(TrafficMatrix, JsonOfATraceHasBytesAndALineForEachMessageBothWays) {
  const auto pattern = matrix_pattern(
      " {\"ranks\": 3, \"events\":7,\"losses\":[{\"ranks\":[0,1],\"culprit\":null,\"call\":\"a \\\"b\\\" {\"}],"
      "\"efficiencies\":{\"parallel\":1e-3,\"known\":true},\n\"traffic\":[[0,1,100,2,-5],[1,0,10],[0,2,0,1],[2,2,9,9,9]"
      "],"
      "\"hardware\":{},\"remarks\":[]}\n");
  ASSERT_TRUE(pattern.ok()) << pattern.status().to_string();
  EXPECT_EQ(pattern->places(), 3u);
  EXPECT_EQ(weight_to(*pattern, 1), 100 + 2 * 64 + 10);
  EXPECT_EQ(weight_to(*pattern, 2), 64);
  EXPECT_EQ(pattern->begin, (std::vector<std::size_t>{0, 2, 3, 4}));
}

TEST(TrafficMatrix, WhatIsWrongInJsonIsNamedWithItsByte) {
  const std::pair<const char*, const char*> faults[] = {
      {"{", "byte 1: no text in quotes"},
      {"{}", "byte 2: the object has no \"ranks\""},
      {"{\"ranks\":2}", "byte 11: the object has no \"traffic\""},
      {"{\"ranks\":2,\"traffic\":[]} 1", "byte 25: something follows"},
      {"{\"ranks\":2,\"ranks\":2}", "\"ranks\" for the second time"},
      {"{\"traffic\":[],\"traffic\":[]}", "\"traffic\" for the second time"},
      {"{\"ranks\":0}", "\"ranks\" is no number from 1 to 1048576"},
      {"{\"ranks\":4e9}", "\"ranks\" is no number from 1 to 1048576"},
      {"{\"ranks\":1.5}", "\"ranks\" is no number from 1 to 1048576"},
      {"{\"ranks\":1e999}", "byte 9: no number that fits"},
      {"{\"ranks\":\"2\"}", "byte 9: no number"},
      {"{\"ranks\" 2}", "byte 9: no ':' after a name"},
      {"{\"ranks\":2 \"traffic\"", "byte 11: neither ',' nor '}' after a member"},
      {"{\"traffic\":{}}", "byte 11: no list"},
      {"{\"traffic\":[[0,1,2],7]}", "byte 20: no list"},
      {"{\"traffic\":[[0,1,2],[0,1]]}", "entry 1 of \"traffic\" has 2 numbers"},
      {"{\"traffic\":[[0,-1,2]]}", "entry 0 of \"traffic\" has a sender or receiver that is no rank"},
      {"{\"traffic\":[[0.5,1,2]]}", "entry 0 of \"traffic\" has a sender or receiver that is no rank"},
      {"{\"traffic\":[[0,1,-2]]}", "entry 0 of \"traffic\" has fewer than 0 bytes"},
      {"{\"traffic\":[[0,1,2", "neither ',' nor ']' after an item"},
      {"{\"ranks\":2,\"traffic\":[[0,2,1]]}", "from 0 to 2, of 2 places"},
      {"{\"ranks\":2,\"traffic\":[[0,1,1e250]]}", "from 0 to 1, of 2 places"},
      {"{\"a\":\"b", "a text without an end"},
      {"{\"a\":\"b\\", "a text without an end"},
      {"{\"a\":\"\n\"}", "a control character"},
      {"{\"a\":nul}", "byte 5: no value"},
  };
  for (const auto& [text, fault] : faults)
    EXPECT_NE(fault_of(text).find(fault), std::string::npos) << text << "\n" << fault_of(text);
  EXPECT_NE(fault_of("{\"a\":" + std::string(100'000, '[')).find("more than 64 deep"), std::string::npos);
}

TEST(TrafficMatrix, WhatIsWrongInCsvIsNamedWithItsPlace) {
  EXPECT_NE(fault_of("0,1\n2,x\n").find("row 1, column 1: 'x' is no number of bytes"), std::string::npos);
  EXPECT_NE(fault_of("0,1\n2,1e250\n").find("row 1, column 1"), std::string::npos);
  EXPECT_NE(fault_of("0,1\n2\n").find("row 1 has 1 columns, not 2"), std::string::npos);
  EXPECT_NE(fault_of(" \n").find("is no number"), std::string::npos);
  EXPECT_NE(fault_of("").find("0 rows"), std::string::npos);
}

}  // namespace
}  // namespace polder::test
