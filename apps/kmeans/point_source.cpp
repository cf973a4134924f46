#include "point_source.hpp"

#include "csv_line.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace kmeans {
namespace {

Layout layout_of(const SourceOptions& options) {
  if (options.layout != Layout::by_name) return options.layout;
  if (options.path.ends_with(".npy")) return Layout::npy;
  return options.path.ends_with(".csv") || options.path.ends_with(".txt") ? Layout::csv : Layout::raw;
}

Status refused(const std::string& path, const std::string& why) {
  return {Code::invalid_argument, "'" + path + "' " + why};
}

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

template <class T>
double number_at(const std::byte* at) {
  T number;
  std::memcpy(&number, at, sizeof number);
  return double(number);
}

// Squares of larger numbers, and sums of these, may be infinite.
constexpr double kLargest = 1e150;

bool is_usable(double value) {
  return std::abs(value) <= kLargest;
}

std::string unusable(double value) {
  if (std::isnan(value)) return "not a number";
  return std::isinf(value) ? "infinite" : "larger than 1e150";
}

}  // namespace

Result<PointSource> PointSource::open(const SourceOptions& options) {
  PointSource source;
  source.path_ = options.path;
  source.layout_ = layout_of(options);
  if (options.path.empty()) {
    source.recipe_ = options.recipe;
    source.rows_ = options.recipe.points;
    source.dims_ = options.recipe.dims;
    return source;
  }
  Result<apps::MappedFile> file = apps::MappedFile::open(options.path);
  if (!file.ok()) return std::move(file).status();
  source.file_ = *std::move(file);
  Status status;
  switch (source.layout_) {
    case Layout::npy: status = source.open_npy(); break;
    case Layout::csv: status = source.open_csv(); break;
    default: status = source.open_raw(options);
  }
  if (status.ok() && source.dims_ == 0) status = refused(options.path, "has points of no coordinates");
  if (!status.ok()) return status;
  return source;
}

Status PointSource::open_npy() {
  const Result<apps::NpyHead> head = apps::read_npy_head(path_, file_.bytes());
  if (!head.ok()) return head.status();
  if (head->shape.size() != 2)
    return refused(path_, "has the shape " + apps::text_of(head->shape) + "; points are (points, coordinates)");
  if (head->number == apps::Number::complex64 || head->number == apps::Number::complex128)
    return refused(path_, "has complex numbers, and points are real");
  number_ = head->number;
  column_major_ = head->column_major;
  data_at_ = head->data_at;
  rows_ = head->shape[0];
  dims_ = head->shape[1];
  return {};
}

Status PointSource::open_raw(const SourceOptions& options) {
  if (options.raw_dims == 0) return refused(path_, "is a raw file: --dims says how many coordinates a point has");
  number_ = options.raw_single ? apps::Number::float32 : apps::Number::float64;
  dims_ = options.raw_dims;
  const std::uint64_t row = dims_ * apps::bytes_of(number_);
  rows_ = file_.bytes().size() / row;
  if (file_.bytes().size() % row != 0)
    return refused(path_, "has " + std::to_string(file_.bytes().size()) +
                              " bytes, which are no whole number of points of " + std::to_string(row) +
                              " bytes: truncated, or another --dims");
  return {};
}

Status PointSource::open_csv() {
  const std::string_view text = text_of(file_.bytes());
  std::vector<double> numbers;
  std::size_t wrong = 0, at = 0;
  for (unsigned line = 0; line < 2 && at < text.size(); ++line) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    data_at_ = at;
    if (parse_numbers(text.substr(at, end - at), numbers, wrong) && !numbers.empty()) {
      dims_ = numbers.size();
      rows_ = (text.size() - at) / (2 * dims_) + 1;  // a digit and what separates it
      return {};
    }
    at = end + 1;
  }
  return refused(path_, text.empty() ? "is empty" : "has no point in its first two lines");
}

Result<Points> PointSource::read(unsigned rank, unsigned ranks) const {
  if (recipe_) return make_points(*recipe_, share_of(rows_, rank, ranks));
  return layout_ == Layout::csv ? read_lines(rank, ranks) : read_rows(share_of(rows_, rank, ranks));
}

double PointSource::element(std::uint64_t row, std::uint64_t column) const {
  const std::uint64_t index = column_major_ ? column * rows_ + row : row * dims_ + column;
  const std::byte* const at = file_.bytes().data() + data_at_ + index * apps::bytes_of(number_);
  switch (number_) {
    case apps::Number::float32: return number_at<float>(at);
    case apps::Number::int32: return number_at<std::int32_t>(at);
    default: return number_at<double>(at);
  }
}

Result<Points> PointSource::read_rows(const Share& share) const {
  Points points(share.size, dims_);
  for (std::uint64_t i = 0; i < share.size; ++i)
    for (std::uint64_t column = 0; column < dims_; ++column) {
      const double value = element(share.first + i, column);
      if (!is_usable(value))
        return refused(path_, "has a number that is " + unusable(value) + ": point " + std::to_string(share.first + i) +
                                  ", coordinate " + std::to_string(column) + ", both counted from 0");
      points.at(i, column) = value;
    }
  return points;
}

Result<Points> PointSource::read_lines(unsigned rank, unsigned ranks) const {
  const std::string_view text = text_of(file_.bytes()).substr(data_at_);
  const Share part = share_of(text.size(), rank, ranks);
  // A line belongs to the part in which it begins.
  std::size_t at = part.first;
  if (at > 0 && text[at - 1] != '\n')
    at = text.find('\n', at) == std::string_view::npos ? text.size() : text.find('\n', at) + 1;
  std::vector<double> all, numbers;
  while (at < part.first + part.size) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::size_t wrong = 0;
    const bool parsed = parse_numbers(text.substr(at, end - at), numbers, wrong);
    const auto bad = std::ranges::find_if(numbers, [](double value) { return !is_usable(value); });
    std::string why;
    if (!parsed)
      why = "field " + std::to_string(wrong) + " is no number";
    else if (!numbers.empty() && numbers.size() != dims_)
      why = "it has " + std::to_string(numbers.size()) + " numbers, and the first point has " + std::to_string(dims_);
    else if (bad != numbers.end())
      why = "field " + std::to_string(bad - numbers.begin() + 1) + " is " + unusable(*bad);
    if (!why.empty()) {
      const std::string_view before = text_of(file_.bytes()).substr(0, data_at_ + at);
      return refused(path_, "line " + std::to_string(std::ranges::count(before, '\n') + 1) + ": " + why);
    }
    all.insert(all.end(), numbers.begin(), numbers.end());  // an empty line is no point
    at = end + 1;
  }
  Points points(all.size() / dims_, dims_);
  for (std::size_t i = 0; i < all.size(); ++i) points.at(i / dims_, i % dims_) = all[i];
  return points;
}

}  // namespace kmeans
