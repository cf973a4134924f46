// Ratings in a text, as MovieLens has them: one a line, user, item, rating and maybe a time, which is not used.
//
//   ratings.dat   1::1193::5::978300760
//   ratings.csv   userId,movieId,rating,timestamp      a first line that names the columns
//                 1,296,5.0,1147880044
//   u.data        196\t242\t3\t881250949
//
// A byte order mark of UTF-8 in front of the first line is no part of it.
#pragma once

#include "common/file.hpp"
#include "rating.hpp"

#include <polder/status.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mf {

using polder::Code;
using polder::Result;
using polder::Status;

enum class Format : std::uint8_t { colons, commas, tabs };

// As its first line has it. invalid_argument: none of the three.
Result<Format> format_of(std::string_view first_line);

// Whether a line is that of a csv file which names the columns.
bool names_columns(std::string_view line);

// Of a line without its end: user and item, and with `wants_value` a rating.
struct ParsedLine {
  Rating rating;
  std::string wrong;       // empty: nothing
  std::size_t column = 0;  // where it is, from 1 on
};
ParsedLine parse_line(std::string_view line, Format format, bool wants_value);

// Reads the lines that begin in one part of a file, so that readers of consecutive parts find each line once.
class RatingLines {
 public:
  RatingLines(const apps::File& file, Format format, bool wants_value, std::uint64_t begin, std::uint64_t end,
              std::uint64_t size)
      : file_(file), format_(format), wants_value_(wants_value), at_(begin), end_(end), size_(size) {}

  // system: the file cannot be read. Stops at the first line that is wrong.
  Status run();

  std::vector<Rating> ratings;
  std::uint64_t lines = 0;
  const ParsedLine& last() const { return last_; }  // the last one of `lines`

 private:
  Status next_line(std::string& line);
  Status read_chunk();

  const apps::File& file_;
  const Format format_;
  const bool wants_value_;
  std::uint64_t at_;
  const std::uint64_t end_, size_;
  std::string chunk_;
  std::uint64_t chunk_begin_ = 0;
  ParsedLine last_;
};

}  // namespace mf
