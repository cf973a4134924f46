#include "gather.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <random>

namespace contract {
namespace {

struct BlockPlaces {
  std::uint64_t start = 0;
  std::vector<std::uint64_t> rows, columns;
};

BlockPlaces places_of(const MatrixView& view, const Grid& grid, std::uint64_t block) {
  const BlockPlace at = grid.place(block);
  return {view.batch.place(at.batch), view.rows.places(grid.rows.begin(at.row), grid.rows.size(at.row)),
          view.columns.places(grid.columns.begin(at.column), grid.columns.size(at.column))};
}

std::complex<double> element(apps::Number number, const std::byte* at) {
  const auto load = [at](auto value) {
    std::memcpy(&value, at, sizeof value);
    return std::complex<double>(value);
  };
  switch (number) {
    case apps::Number::float32: return load(float{});
    case apps::Number::complex64: return load(std::complex<float>{});
    case apps::Number::complex128: return load(std::complex<double>{});
    default: return load(double{});
  }
}

// The first element that is no finite number, counted from the block's first.
std::optional<std::size_t> first_not_finite(apps::Number number, std::span<const std::byte> block) {
  const std::size_t width = apps::bytes_of(number);
  for (std::size_t i = 0; i < block.size() / width; ++i) {
    const std::complex<double> value = element(number, block.data() + i * width);
    if (!std::isfinite(value.real()) || !std::isfinite(value.imag())) return i;
  }
  return std::nullopt;
}

// Bytes for growing places of a file, written in large pieces where they adjoin.
class RunWriter {
 public:
  explicit RunWriter(const apps::File& file) : file_(file) {}

  Status write(std::uint64_t at, std::span<const std::byte> bytes) {
    if (at != start_ + held_.size() || held_.size() + bytes.size() > kMost) {
      Status status = flush();
      if (!status.ok()) return status;
      start_ = at;
    }
    held_.insert(held_.end(), bytes.begin(), bytes.end());
    return {};
  }
  Status flush() {
    Status status = held_.empty() ? Status() : file_.write_at(start_, held_);
    start_ += held_.size();
    held_.clear();
    return status;
  }

 private:
  static constexpr std::size_t kMost = 1 << 20;

  const apps::File& file_;
  std::uint64_t start_ = 0;
  std::vector<std::byte> held_;
};

// The length of the run of neighbours that begins at `at`.
std::size_t run_at(const std::vector<std::uint64_t>& places, std::size_t at) {
  std::size_t end = at + 1;
  while (end < places.size() && places[end] == places[end - 1] + 1) ++end;
  return end - at;
}

std::vector<std::byte> transposed(std::span<const std::byte> block, std::size_t rows, std::size_t columns,
                                  std::size_t width) {
  constexpr std::size_t kTile = 32;
  std::vector<std::byte> turned(block.size());
  for (std::size_t i0 = 0; i0 < rows; i0 += kTile)
    for (std::size_t j0 = 0; j0 < columns; j0 += kTile)
      for (std::size_t i = i0; i < std::min(rows, i0 + kTile); ++i)
        for (std::size_t j = j0; j < std::min(columns, j0 + kTile); ++j)
          std::memcpy(&turned[(j * rows + i) * width], &block[(i * columns + j) * width], width);
  return turned;
}

Status scatter_block(std::span<const std::byte> block, BlockPlaces places, std::size_t width, std::uint64_t at,
                     RunWriter& writer) {
  std::vector<std::byte> turned;
  // Along the index that changes fastest in the tensor.
  if (run_at(places.rows, 0) > run_at(places.columns, 0)) {
    turned = transposed(block, places.rows.size(), places.columns.size(), width);
    block = turned;
    std::swap(places.rows, places.columns);
  }
  const std::size_t n = places.columns.size();
  for (std::size_t i = 0; i < places.rows.size(); ++i) {
    for (std::size_t j = 0; j < n;) {
      const std::size_t run = run_at(places.columns, j);
      const std::uint64_t place = places.start + places.rows[i] + places.columns[j];
      Status status = writer.write(at + place * width, block.subspan((i * n + j) * width, run * width));
      if (!status.ok()) return status;
      j += run;
    }
  }
  return {};
}

// Of an error, to what was added up. An element that is not finite is as wrong as can be.
double relative(double error, double scale) {
  if (error == 0) return 0;
  return std::isfinite(error) && scale > 0 ? error / scale : std::numeric_limits<double>::infinity();
}

}  // namespace

Status gather_blocks(const Tensor& tensor, const MatrixView& view, bool finite, const BlockMatrix& matrix) {
  for (const std::uint64_t block : matrix.own_blocks()) {
    const BlockPlaces places = places_of(view, matrix.grid(), block);
    const std::span<std::byte> to = matrix.own(block);
    tensor.gather(places.start, places.rows, places.columns, matrix.number(), to.data());
    const auto wrong = finite ? first_not_finite(matrix.number(), to) : std::nullopt;
    if (!wrong) continue;
    const std::uint64_t place =
        places.start + places.rows[*wrong / places.columns.size()] + places.columns[*wrong % places.columns.size()];
    return {Code::invalid_argument,
            "'" + tensor.name() + "': the element " + tensor.index_of(place) + " is infinite or not a number"};
  }
  return {};
}

Status scatter_blocks(const BlockMatrix& matrix, const MatrixView& view, const apps::File& file, std::uint64_t at) {
  RunWriter writer(file);
  for (const std::uint64_t block : matrix.own_blocks()) {
    Status status = scatter_block(matrix.own(block), places_of(view, matrix.grid(), block),
                                  apps::bytes_of(matrix.number()), at, writer);
    if (!status.ok()) return status;
  }
  return writer.flush();
}

double sampled_error(const Tensor& first, const Tensor& second, const Layout& layout, const BlockMatrix& result,
                     std::uint64_t samples, std::uint64_t seed) {
  const std::vector<std::uint64_t> blocks = result.own_blocks();
  if (blocks.empty()) return 0;
  const Grid& grid = result.grid();
  const std::uint64_t length = layout.first.columns.extent();
  const std::vector<std::uint64_t> inner_first = layout.first.columns.places(0, length);
  const std::vector<std::uint64_t> inner_second = layout.second.rows.places(0, length);
  const double largest =
      is_single(result.number()) ? std::numeric_limits<float>::max() : std::numeric_limits<double>::max();
  std::mt19937_64 random(seed);
  double worst = 0;
  for (std::uint64_t sample = 0; sample < samples; ++sample) {
    const std::uint64_t block = blocks[random() % blocks.size()], at = random() % grid.elements(block);
    const BlockPlace place = grid.place(block);
    const std::uint64_t width = grid.columns.size(place.column);
    const std::uint64_t row = grid.rows.begin(place.row) + at / width;
    const std::uint64_t column = grid.columns.begin(place.column) + at % width;
    const std::uint64_t a = layout.first.batch.place(place.batch) + layout.first.rows.place(row);
    const std::uint64_t b = layout.second.batch.place(place.batch) + layout.second.columns.place(column);
    std::complex<double> sum = 0;
    double scale = 0;
    for (std::uint64_t k = 0; k < length; ++k) {
      const std::complex<double> term = first.value(a + inner_first[k]) * second.value(b + inner_second[k]);
      sum += term;
      scale += std::abs(term);
    }
    const double error =
        std::abs(sum - element(result.number(), &result.own(block)[at * apps::bytes_of(result.number())]));
    // Where an operand is not finite, or the sum may be larger than these numbers can be, the product need not be finite.
    if (scale <= largest) worst = std::max(worst, relative(error, scale));
  }
  return worst;
}

double rounding_bound(apps::Number number, std::uint64_t length) {
  const double unit =
      is_single(number) ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon();
  return unit * (16 + double(length));
}

}  // namespace contract
