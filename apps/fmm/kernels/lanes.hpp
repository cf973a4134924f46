// Vectors of an instruction set, and what all kernels need of them. An instruction set `Isa` says its name, the bytes
// of a vector, how many vectors of targets direct summation treats at once, and how it finds inverse square roots.
//
// Everything is a template over Isa, so that what is compiled for one processor is never linked for another.
#pragma once

#include <cstddef>
#include <utility>

namespace fmm {

template <class Isa, class T>
struct LanesOf {
  typedef T type __attribute__((vector_size(Isa::kBytes)));
};
template <class Isa, class T>
using Lanes = typename LanesOf<Isa, T>::type;

template <class Isa, class T>
inline constexpr std::size_t kLanes = Isa::kBytes / sizeof(T);

template <class V, class T>
[[gnu::always_inline]] inline V load(const T* from) {
  V v;
  __builtin_memcpy(&v, from, sizeof v);
  return v;
}
template <class V, class T>
[[gnu::always_inline]] inline void store(T* to, V v) {
  __builtin_memcpy(to, &v, sizeof v);
}
template <class V, class T>
[[gnu::always_inline]] inline V splat(T value) {
  return value - V{};
}

template <class V>
[[gnu::always_inline]] inline V exact_inverse_root(V v) {
  for (std::size_t i = 0; i < sizeof(V) / sizeof v[0]; ++i) v[i] = 1 / __builtin_sqrt(v[i]);
  return v;
}

template <class V>
[[gnu::always_inline]] inline auto sum_of(V v) {
  auto sum = v[0];
  for (std::size_t i = 1; i < sizeof(V) / sizeof(sum); ++i) sum += v[i];
  return sum;
}

// Lane j of the results: a, or with bit S of j set b's lane j - S; and the other way round.
template <std::size_t S, class V, std::size_t... J>
[[gnu::always_inline]] inline void swap_blocks(V& a, V& b, std::index_sequence<J...>) {
  constexpr std::size_t kCount = sizeof...(J);
  const V low = __builtin_shufflevector(a, b, ((J & S) ? kCount + (J ^ S) : J)...);
  b = __builtin_shufflevector(a, b, ((J & S) ? kCount + J : (J ^ S))...);
  a = low;
}

// Turns rows into columns. N log2(N) shuffles.
template <std::size_t N, std::size_t S = 1, class V>
[[gnu::always_inline]] inline void transpose(V* rows) {
  if constexpr (S < N) {
    for (std::size_t i = 0; i < N; ++i)
      if ((i & S) == 0) swap_blocks<S>(rows[i], rows[i + S], std::make_index_sequence<N>());
    transpose<N, 2 * S>(rows);
  }
}

}  // namespace fmm
