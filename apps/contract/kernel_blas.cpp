#include "kernel.hpp"

#include <cblas.h>

namespace contract {
namespace {

constexpr double kOne[2] = {1, 0};
constexpr float kSingleOne[2] = {1, 0};

}  // namespace

void multiply_add(apps::Number number, const BlockSizes& sizes, const std::byte* a, const std::byte* b, std::byte* c) {
  if (sizes.m == 0 || sizes.n == 0 || sizes.k == 0) return;
  const auto m = blasint(sizes.m), n = blasint(sizes.n), k = blasint(sizes.k);
  const auto doubles = [](const std::byte* at) { return reinterpret_cast<const double*>(at); };
  const auto floats = [](const std::byte* at) { return reinterpret_cast<const float*>(at); };
  switch (number) {
    case apps::Number::float32:
      cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1, floats(a), k, floats(b), n, 1,
                  reinterpret_cast<float*>(c), n);
      break;
    case apps::Number::float64:
      cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1, doubles(a), k, doubles(b), n, 1,
                  reinterpret_cast<double*>(c), n);
      break;
    case apps::Number::complex64:
      cblas_cgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, kSingleOne, a, k, b, n, kSingleOne, c, n);
      break;
    case apps::Number::complex128:
      cblas_zgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, kOne, a, k, b, n, kOne, c, n);
      break;
    case apps::Number::int32: break;  // no operand is of it
  }
}

void set_kernel_threads(unsigned threads) {
  openblas_set_num_threads(int(threads));
}

const char* kernel_name() {
  return "OpenBLAS";
}

}  // namespace contract
