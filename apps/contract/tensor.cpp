#include "tensor.hpp"

#include <algorithm>
#include <cstring>

namespace contract {
namespace {

using apps::Number;

// splitmix64. Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014.
double drawn(std::uint64_t seed, std::uint64_t place) {
  std::uint64_t z = (seed + place + 1) * 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return double((z ^ z >> 31) >> 11) * 0x1p-52 - 1;
}

// Elements in a file need not be aligned.
template <class From>
struct InFile {
  using Element = From;
  const std::byte* elements;
  From operator()(std::uint64_t place) const {
    From value;
    std::memcpy(&value, elements + place * sizeof(From), sizeof(From));
    return value;
  }
};

template <class From>
struct MadeUp {
  using Element = From;
  std::uint64_t seed;
  From operator()(std::uint64_t place) const {
    if constexpr (requires(From value) { value.imag(); })
      return From(typename From::value_type(drawn(seed, 2 * place)),
                  typename From::value_type(drawn(seed, 2 * place + 1)));
    else
      return From(drawn(seed, place));
  }
};

// Calls with a source of the right elements.
template <class Body>
auto with_source(Number number, const std::byte* elements, std::uint64_t seed, const Body& body) {
  const auto call = [&](auto zero) {
    using Element = decltype(zero);
    return elements == nullptr ? body(MadeUp<Element>{seed}) : body(InFile<Element>{elements});
  };
  switch (number) {
    case Number::float32: return call(float{});
    case Number::complex64: return call(std::complex<float>{});
    case Number::complex128: return call(std::complex<double>{});
    default: return call(double{});
  }
}

struct Picked {
  std::uint64_t start;
  std::span<const std::uint64_t> rows, columns;

  bool in_runs() const { return columns.empty() || columns.back() - columns.front() + 1 == columns.size(); }
};

template <class To, class Source>
void gather_tiles(const Source& source, const Picked& picked, To* to) {
  constexpr std::size_t kTile = 32;
  const std::size_t m = picked.rows.size(), n = picked.columns.size();
  for (std::size_t i0 = 0; i0 < m; i0 += kTile)
    for (std::size_t j0 = 0; j0 < n; j0 += kTile)
      for (std::size_t i = i0; i < std::min(m, i0 + kTile); ++i)
        for (std::size_t j = j0; j < std::min(n, j0 + kTile); ++j)
          to[i * n + j] = To(source(picked.start + picked.rows[i] + picked.columns[j]));
}

template <class To, class Source>
void gather_as(const Source& source, const Picked& picked, To* to) {
  using From = typename Source::Element;
  if constexpr (std::is_same_v<Source, InFile<To>>) {
    if (!picked.in_runs() || picked.columns.empty()) return gather_tiles(source, picked, to);
    const std::size_t n = picked.columns.size();
    for (std::size_t i = 0; i < picked.rows.size(); ++i)
      std::memcpy(to + i * n, source.elements + (picked.start + picked.rows[i] + picked.columns[0]) * sizeof(To),
                  n * sizeof(To));
  } else if constexpr (std::is_constructible_v<To, From>) {
    gather_tiles(source, picked, to);
  }
}

}  // namespace

bool is_complex(Number number) {
  return number == Number::complex64 || number == Number::complex128;
}

bool is_single(Number number) {
  return number == Number::float32 || number == Number::complex64;
}

Number common_number(Number one, Number other) {
  const bool single = is_single(one) && is_single(other);
  if (is_complex(one) || is_complex(other)) return single ? Number::complex64 : Number::complex128;
  return single ? Number::float32 : Number::float64;
}

Result<Tensor> Tensor::open(const std::string& path) {
  Result<apps::MappedFile> file = apps::MappedFile::open(path);
  if (!file.ok()) return std::move(file).status();
  Result<apps::NpyHead> head = apps::read_npy_head(path, file->bytes());
  if (!head.ok()) return std::move(head).status();
  if (head->number == Number::int32)
    return Status(Code::invalid_argument, "'" + path + "' holds integers; real or complex numbers are wanted");
  Tensor tensor;
  tensor.name_ = path;
  tensor.number_ = head->number;
  tensor.shape_ = {std::move(head->shape), head->column_major};
  tensor.elements_ = file->bytes().data() + head->data_at;
  tensor.file_ = *std::move(file);
  return tensor;
}

Tensor Tensor::made_up(std::string name, Number number, apps::Shape shape, std::uint64_t seed) {
  Tensor tensor;
  tensor.name_ = std::move(name);
  tensor.number_ = number;
  tensor.shape_ = {std::move(shape), false};
  tensor.seed_ = seed << 40;
  return tensor;
}

void Tensor::gather(std::uint64_t start, std::span<const std::uint64_t> rows, std::span<const std::uint64_t> columns,
                    Number wanted, std::byte* to) const {
  const Picked picked{start, rows, columns};
  with_source(number_, elements_, seed_, [&](const auto& source) {
    switch (wanted) {
      case Number::float32: return gather_as(source, picked, reinterpret_cast<float*>(to));
      case Number::complex64: return gather_as(source, picked, reinterpret_cast<std::complex<float>*>(to));
      case Number::complex128: return gather_as(source, picked, reinterpret_cast<std::complex<double>*>(to));
      default: return gather_as(source, picked, reinterpret_cast<double*>(to));
    }
  });
}

std::complex<double> Tensor::value(std::uint64_t place) const {
  return with_source(number_, elements_, seed_,
                     [place](const auto& source) { return std::complex<double>(source(place)); });
}

std::string Tensor::index_of(std::uint64_t place) const {
  apps::Shape index(shape_.shape.size());
  for (std::size_t i = 0; i < index.size(); ++i) {
    const std::size_t at = shape_.column_major ? i : index.size() - 1 - i;
    index[at] = place % shape_.shape[at];
    place /= shape_.shape[at];
  }
  return apps::text_of(index);
}

}  // namespace contract
