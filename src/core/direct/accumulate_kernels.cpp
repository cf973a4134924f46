#include "core/direct/accumulate_kernels.hpp"

#include "util/platform.hpp"

#include <concepts>
#include <cstring>
#include <iterator>
#include <type_traits>

namespace polder::core {
namespace {

template <class T>
inline constexpr bool kIsComplex = false;
template <class T>
inline constexpr bool kIsComplex<std::complex<T>> = true;

// Two's complement wraps; signed overflow of int would be undefined, and short integers become int where they meet.
template <class T>
struct WrappingOf {
  using type = T;
};
template <std::integral T>
struct WrappingOf<T> {
  using type = std::conditional_t<(sizeof(T) < sizeof(unsigned)), unsigned, std::make_unsigned_t<T>>;
};
template <class T>
using Wrapping = typename WrappingOf<T>::type;

// Without the rescue of infinities that std::complex multiplies with: it would keep the loop from being vectorised.
template <class T>
POLDER_ALWAYS_INLINE T multiply(T a, T b) {
  if constexpr (kIsComplex<T>)
    return T(a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real());
  else
    return T(Wrapping<T>(a) * Wrapping<T>(b));
}

template <class T>
POLDER_ALWAYS_INLINE T plus(T a, T b) {
  if constexpr (kIsComplex<T>)
    return a + b;
  else
    return T(Wrapping<T>(a) + Wrapping<T>(b));
}

template <Reduction op, class T>
POLDER_ALWAYS_INLINE T combine(T y, T x, T scale) {
  if constexpr (op == Reduction::sum)
    return plus(y, x);
  else if constexpr (op == Reduction::product)
    return multiply(y, x);
  else if constexpr (op == Reduction::min)
    return x < y ? x : y;
  else if constexpr (op == Reduction::max)
    return y < x ? x : y;
  else if constexpr (op == Reduction::bit_and)
    return T(y & x);
  else if constexpr (op == Reduction::bit_or)
    return T(y | x);
  else if constexpr (op == Reduction::bit_xor)
    return T(y ^ x);
  else
    return plus(y, multiply(scale, x));
}

template <class T>
POLDER_ALWAYS_INLINE T load(const std::byte* from, std::size_t i) {
  T value;
  std::memcpy(&value, from + i * sizeof value, sizeof value);
  return value;
}

// A loop for each of what the result may be: so the compiler knows that none overlaps another.
template <Reduction op, class T>
POLDER_ALWAYS_INLINE void combine_into(std::byte* __restrict y, const std::byte* __restrict x, std::size_t count, T a) {
  for (std::size_t i = 0; i < count; ++i) {
    const T value = combine<op>(load<T>(y, i), load<T>(x, i), a);
    std::memcpy(y + i * sizeof value, &value, sizeof value);
  }
}
template <Reduction op, class T>
POLDER_ALWAYS_INLINE void combine_apart(const std::byte* __restrict y, const std::byte* __restrict x,
                                        std::byte* __restrict result, std::size_t count, T a) {
  for (std::size_t i = 0; i < count; ++i) {
    const T value = combine<op>(load<T>(y, i), load<T>(x, i), a);
    std::memcpy(result + i * sizeof value, &value, sizeof value);
  }
}

template <Reduction op, class T>
POLDER_ALWAYS_INLINE void combine_all(const void* y, const void* x, void* result, std::size_t count,
                                      const void* scale) {
  T a{};
  if (scale != nullptr) std::memcpy(&a, scale, sizeof a);
  auto* const to = static_cast<std::byte*>(result);
  const auto *one = static_cast<const std::byte*>(y), *two = static_cast<const std::byte*>(x);
  if (y == result)
    combine_into<op, T>(to, two, count, a);
  else
    combine_apart<op, T>(one, two, to, count, a);
}

template <Reduction op, class T>
void portable(const void* y, const void* x, void* result, std::size_t count, const void* scale) {
  combine_all<op, T>(y, x, result, count, scale);
}

template <Reduction op, class T>
POLDER_TARGET_AVX2 void vectorised(const void* y, const void* x, void* result, std::size_t count, const void* scale) {
  combine_all<op, T>(y, x, result, count, scale);
}

const bool kVector = util::cpu_has_avx2();

template <Reduction op, class T>
AccumulateKernel pick() {
  constexpr bool bits = op == Reduction::bit_and || op == Reduction::bit_or || op == Reduction::bit_xor;
  constexpr bool order = op == Reduction::min || op == Reduction::max;
  if constexpr ((bits && !std::is_integral_v<T>) || (order && kIsComplex<T>))
    return nullptr;
  else
    return kVector ? vectorised<op, T> : portable<op, T>;
}

template <Reduction op>
AccumulateKernel pick(DataType type) {
  switch (type) {
    case DataType::int8: return pick<op, std::int8_t>();
    case DataType::int16: return pick<op, std::int16_t>();
    case DataType::uint8: return pick<op, std::uint8_t>();
    case DataType::uint16: return pick<op, std::uint16_t>();
    case DataType::int32: return pick<op, std::int32_t>();
    case DataType::int64: return pick<op, std::int64_t>();
    case DataType::uint32: return pick<op, std::uint32_t>();
    case DataType::uint64: return pick<op, std::uint64_t>();
    case DataType::float32: return pick<op, float>();
    case DataType::float64: return pick<op, double>();
    case DataType::complex64: return pick<op, std::complex<float>>();
    case DataType::complex128: return pick<op, std::complex<double>>();
  }
  return nullptr;
}

}  // namespace

AccumulateKernel accumulate_kernel(Reduction op, DataType type) {
  switch (op) {
    case Reduction::sum: return pick<Reduction::sum>(type);
    case Reduction::product: return pick<Reduction::product>(type);
    case Reduction::min: return pick<Reduction::min>(type);
    case Reduction::max: return pick<Reduction::max>(type);
    case Reduction::bit_and: return pick<Reduction::bit_and>(type);
    case Reduction::bit_or: return pick<Reduction::bit_or>(type);
    case Reduction::bit_xor: return pick<Reduction::bit_xor>(type);
    case Reduction::axpy: return pick<Reduction::axpy>(type);
  }
  return nullptr;
}

}  // namespace polder::core

namespace polder {

bool is_defined(Reduction op, DataType type) {
  return core::accumulate_kernel(op, type) != nullptr;
}

std::string_view to_string(DataType type) {
  constexpr std::string_view kNames[] = {"int32",     "int64",      "uint32", "uint64", "float32", "float64",
                                         "complex64", "complex128", "int8",   "int16",  "uint8",   "uint16"};
  return std::size_t(type) < std::size(kNames) ? kNames[std::size_t(type)] : "unknown data type";
}

std::string_view to_string(Reduction op) {
  constexpr std::string_view kNames[] = {"sum", "product", "min", "max", "bit_and", "bit_or", "bit_xor", "axpy"};
  return std::size_t(op) < std::size(kNames) ? kNames[std::size_t(op)] : "unknown reduction";
}

}  // namespace polder
