// Where points come from: a file, or a recipe. A rank reads its own share, and can read that of any other.
#pragma once

#include "common/mapped_file.hpp"
#include "common/npy.hpp"
#include "points.hpp"
#include "recipe.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kmeans {

using polder::Code;
using polder::Result;
using polder::Status;

enum class Layout : std::uint8_t {
  by_name,  // .npy, .csv, .txt; else raw
  npy,      // two dimensions, of float32, float64 or int32, either order
  csv,      // a point a line; commas, semicolons, tabs or spaces between; a first line without numbers is passed over
  raw,      // little-endian numbers, point by point
};

struct SourceOptions {
  std::string path;  // empty: made up, by `recipe`
  Layout layout = Layout::by_name;
  std::uint64_t raw_dims = 0;  // of a raw file
  bool raw_single = false;     // its numbers have 4 bytes and not 8
  Recipe recipe;
};

class PointSource {
 public:
  // Looks at the head of the file; invalid_argument with a sentence that names it where it holds no points.
  static Result<PointSource> open(const SourceOptions& options);

  std::uint64_t dims() const { return dims_; }
  // Points in all; of a csv file not more than there can be, for its lines are not counted.
  std::uint64_t size_at_most() const { return rows_; }

  // The points of one of so many ranks, in order; of a csv file those whose lines begin in its part of the bytes. A number
  // that is none, infinite, or larger than 1e150 is refused with its place.
  Result<Points> read(unsigned rank, unsigned ranks) const;

 private:
  PointSource() = default;

  Status open_npy();
  Status open_raw(const SourceOptions& options);
  Status open_csv();
  double element(std::uint64_t row, std::uint64_t column) const;
  Result<Points> read_rows(const Share& share) const;
  Result<Points> read_lines(unsigned rank, unsigned ranks) const;

  std::string path_;
  Layout layout_ = Layout::raw;
  std::optional<Recipe> recipe_;
  apps::MappedFile file_;
  apps::Number number_ = apps::Number::float64;
  bool column_major_ = false;
  std::uint64_t data_at_ = 0;  // byte of the first number
  std::uint64_t rows_ = 0, dims_ = 0;
};

}  // namespace kmeans
