#include "kernel.hpp"

#include <algorithm>
#include <complex>

namespace contract {
namespace {

// In pieces of k whose rows of b stay in a cache.
template <class T>
void add_product(const BlockSizes& sizes, const std::byte* first, const std::byte* second, std::byte* result) {
  constexpr std::uint64_t kPiece = 64;
  const T* a = reinterpret_cast<const T*>(first);
  const T* b = reinterpret_cast<const T*>(second);
  T* c = reinterpret_cast<T*>(result);
  for (std::uint64_t start = 0; start < sizes.k; start += kPiece) {
    const std::uint64_t end = std::min(sizes.k, start + kPiece);
    for (std::uint64_t i = 0; i < sizes.m; ++i)
      for (std::uint64_t k = start; k < end; ++k)
        for (std::uint64_t j = 0; j < sizes.n; ++j) c[i * sizes.n + j] += a[i * sizes.k + k] * b[k * sizes.n + j];
  }
}

}  // namespace

void multiply_add(apps::Number number, const BlockSizes& sizes, const std::byte* a, const std::byte* b, std::byte* c) {
  switch (number) {
    case apps::Number::float32: return add_product<float>(sizes, a, b, c);
    case apps::Number::float64: return add_product<double>(sizes, a, b, c);
    case apps::Number::complex64: return add_product<std::complex<float>>(sizes, a, b, c);
    case apps::Number::complex128: return add_product<std::complex<double>>(sizes, a, b, c);
    case apps::Number::int32: return;  // no operand is of it
  }
}

void set_kernel_threads(unsigned /*threads*/) {}

const char* kernel_name() {
  return "plain loops, for want of OpenBLAS";
}

}  // namespace contract
