// Lines of ratings in the formats of MovieLens, right ones and wrong ones.
#include "rating_lines.hpp"

#include "apps/common/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace mf {
namespace {

TEST(Format, IsThatOfTheFirstLine) {
  EXPECT_EQ(*format_of("1::1193::5::978300760"), Format::colons);
  EXPECT_EQ(*format_of("userId,movieId,rating,timestamp"), Format::commas);
  EXPECT_EQ(*format_of("1,296,5.0,1147880044"), Format::commas);
  EXPECT_EQ(*format_of("196\t242\t3\t881250949"), Format::tabs);
  EXPECT_EQ(format_of("196 242 3").status().code(), Code::invalid_argument);
}

TEST(ParseLine, EachFormat) {
  for (const auto& [line, format] :
       {std::pair{"12::1193::4.5::978300760", Format::colons}, std::pair{"12,1193,4.5,978300760\r", Format::commas},
        std::pair{"12\t1193\t4.5\t978300760", Format::tabs}, std::pair{"12, 1193, 4.5", Format::commas}}) {
    const ParsedLine parsed = parse_line(line, format, true);
    EXPECT_EQ(parsed.wrong, "") << line;
    EXPECT_EQ(parsed.rating.user, 12u);
    EXPECT_EQ(parsed.rating.item, 1193u);
    EXPECT_EQ(parsed.rating.value, 4.5);
  }
  EXPECT_EQ(parse_line("7,8", Format::commas, false).wrong, "");
}

TEST(ParseLine, WhatIsWrongIsNamedWithItsColumn) {
  struct Case {
    std::string line, wrong;
    std::size_t column;
  };
  for (const Case& one :
       {Case{"x,2,3", "has 'x' where a user is expected", 1}, Case{"12,-2,3", "has '-2' where an item is expected", 4},
        Case{"12,2,good,9", "has 'good' where a rating is expected", 6},
        Case{"12,2,nan", "has 'nan' where a rating is expected", 6},
        Case{"12,2,1e300", "has '1e300' where a rating is expected", 6},
        Case{"12,2,3,later", "has 'later' where a time is expected", 8},
        Case{"12,2,3,4,5", "has more than the fields user, item, rating, time", 10},
        Case{"12,2", "ends where a rating is expected", 5}, Case{"12,,3", "has '' where an item is expected", 4},
        Case{"99999999999999999999,2,3", "has '99999999999999999999' where a user is expected", 1}}) {
    const ParsedLine parsed = parse_line(one.line, Format::commas, true);
    EXPECT_EQ(parsed.wrong, one.wrong);
    EXPECT_EQ(parsed.column, one.column) << one.line;
  }
}

TEST(RatingLines, BeginBehindAByteOrderMark) {
  const apps::TemporaryFolder folder;
  for (const std::string first : {"", "userId,movieId,rating\n"}) {
    const std::string text = "\xEF\xBB\xBF" + first + "3,4,5\n";
    apps::write_file(folder / "ratings.csv", text);
    const auto file = apps::File::open(folder / "ratings.csv");
    ASSERT_TRUE(file.ok());
    RatingLines reader(*file, Format::commas, true, 0, text.size(), text.size());
    ASSERT_TRUE(reader.run().ok());
    EXPECT_EQ(reader.last().wrong, "");
    ASSERT_EQ(reader.ratings.size(), 1u);
    EXPECT_EQ(reader.ratings[0].user, 3u);
  }
}

// However a file is cut, each line is read once.
TEST(RatingLines, PartsHaveEachLineOnce) {
  const apps::TemporaryFolder folder;
  std::string text = "userId,movieId,rating,timestamp\n";
  for (int i = 0; i < 50; ++i) text += std::to_string(i) + "," + std::to_string(i * i) + ",0.5,77\n";
  text += "\n50,2500,0.5";  // an empty line, and none of the last one's end
  apps::write_file(folder / "ratings.csv", text);
  const auto file = apps::File::open(folder / "ratings.csv");
  ASSERT_TRUE(file.ok());
  for (std::uint64_t first = 0; first <= text.size(); ++first) {
    std::vector<Rating> all;
    std::uint64_t lines = 0;
    const std::uint64_t second = (first + text.size()) / 2;
    const std::uint64_t cuts[] = {0, first, second, text.size()};
    for (int part = 0; part < 3; ++part) {
      if (cuts[part] == cuts[part + 1]) continue;
      RatingLines reader(*file, Format::commas, true, cuts[part], cuts[part + 1], text.size());
      ASSERT_TRUE(reader.run().ok());
      ASSERT_EQ(reader.last().wrong, "");
      all.insert(all.end(), reader.ratings.begin(), reader.ratings.end());
      lines += reader.lines;
    }
    ASSERT_EQ(lines, 53u) << first;
    ASSERT_EQ(all.size(), 51u) << first;
    for (std::uint64_t i = 0; i < all.size(); ++i) ASSERT_EQ(all[i].item, i * i);
  }
}

}  // namespace
}  // namespace mf
