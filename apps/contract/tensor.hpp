// An operand: a .npy file, or numbers that are made up, element by element.
#pragma once

#include "common/mapped_file.hpp"
#include "common/npy.hpp"
#include "layout.hpp"

#include <complex>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace contract {

class Tensor {
 public:
  // Elements are float32, float64, complex64 or complex128.
  static Result<Tensor> open(const std::string& path);
  // Between -1 and 1, by a hash of seed and place: the same in every rank.
  static Tensor made_up(std::string name, apps::Number number, apps::Shape shape, std::uint64_t seed);

  const std::string& name() const { return name_; }
  apps::Number number() const { return number_; }
  const TensorShape& shape() const { return shape_; }

  // The elements at start + rows[i] + columns[j], in the order of memory, as `wanted` numbers, row by row into `to`. Tiles of
  // rows and columns, so that neither reading nor writing strays; runs of neighbours are copied where nothing is converted.
  void gather(std::uint64_t start, std::span<const std::uint64_t> rows, std::span<const std::uint64_t> columns,
              apps::Number wanted, std::byte* to) const;
  std::complex<double> value(std::uint64_t place) const;

  // "(3, 0, 7)", of the element at that place.
  std::string index_of(std::uint64_t place) const;

 private:
  Tensor() = default;

  std::string name_;
  apps::Number number_ = apps::Number::float64;
  TensorShape shape_;
  apps::MappedFile file_;
  const std::byte* elements_ = nullptr;  // null: made up
  std::uint64_t seed_ = 0;
};

// What holds both without loss.
apps::Number common_number(apps::Number one, apps::Number other);
bool is_complex(apps::Number number);
bool is_single(apps::Number number);

}  // namespace contract
