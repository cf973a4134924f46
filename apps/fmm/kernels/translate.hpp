// Many translations of the same kind and direction at once: a column of a matrix is an expansion, so that the numbers
// of the translation are the same for all lanes.
//
// With p = order + 1: turning costs 2 x 2/3 p^3, moving 2/3 p^3 multiply-adds per column.
#pragma once

#include "harmonics.hpp"
#include "kernels/kernels.hpp"
#include "kernels/lanes.hpp"

namespace fmm {

// Rows of two vectors: matrices of numbers times rows. 4 x 2 sums are enough to keep two multiply-add units busy.
template <class Isa, class T>
struct RowMath {
  using V = Lanes<Isa, T>;

  struct Rows {
    V* data;
    std::size_t stride;  // in rows
    V* row(std::size_t i) const { return data + 2 * i * stride; }
  };

  // out[i] = sum_k matrix[i][k] in[k], or with the transposed matrix.
  template <bool Transposed>
  static void multiply(const T* matrix, std::size_t leading, unsigned rows, unsigned columns, Rows in, Rows out) {
    unsigned i = 0;
    for (; i + 4 <= rows; i += 4) tile<4, Transposed>(matrix, leading, i, columns, in, out);
    switch (rows - i) {
      case 3: tile<3, Transposed>(matrix, leading, i, columns, in, out); break;
      case 2: tile<2, Transposed>(matrix, leading, i, columns, in, out); break;
      case 1: tile<1, Transposed>(matrix, leading, i, columns, in, out); break;
      default: break;
    }
  }

 private:
  template <unsigned R, bool Transposed>
  [[gnu::always_inline]] static void tile(const T* matrix, std::size_t leading, unsigned first, unsigned columns,
                                          Rows in, Rows out) {
    V sums[R][2] = {};
    for (unsigned k = 0; k < columns; ++k) {
      const V a = in.row(k)[0], b = in.row(k)[1];
      for (unsigned r = 0; r < R; ++r) {
        const T factor = Transposed ? matrix[k * leading + first + r] : matrix[(first + r) * leading + k];
        sums[r][0] += factor * a;
        sums[r][1] += factor * b;
      }
    }
    for (unsigned r = 0; r < R; ++r) {
      out.row(first + r)[0] = sums[r][0];
      out.row(first + r)[1] = sums[r][1];
    }
  }
};

template <class Isa, class T>
class Translator {
 public:
  static constexpr unsigned kColumns = 2 * kLanes<Isa, T>;

  Translator(const TranslationView<T>& view, void* scratch)
      : view_(view), side_(view.order + 1), rows_(padded_terms(view.order)) {
    by_degree_ = static_cast<V*>(scratch);
    turned_ = by_degree_ + 2 * rows_;
    moved_ = turned_ + 4 * rows_;
  }

  void run(const Moves& moves) const {
    gather(moves);
    turn_azimuth(1);
    for (unsigned n = 0; n < side_; ++n) turn_polar<false>(n);
    move();
    for (unsigned n = 0; n < side_; ++n) turn_polar<true>(n);
    turn_azimuth(-1);
    scatter(moves);
  }

 private:
  using V = Lanes<Isa, T>;
  using Math = RowMath<Isa, T>;
  using Rows = typename Math::Rows;
  // Expansions are stored as doubles, so columns are exchanged in groups of this many.
  using Doubles = Lanes<Isa, double>;
  static constexpr std::size_t kGroup = kLanes<Isa, double>;
  typedef T Narrow __attribute__((vector_size(kGroup * sizeof(T))));

  void gather(const Moves& moves) const {
    T* rows = reinterpret_cast<T*>(by_degree_);
    for (unsigned first = 0; first < kColumns; first += kGroup)
      for (std::size_t term = 0; term < rows_; term += kGroup) {
        Doubles block[kGroup];
        for (unsigned j = 0; j < kGroup; ++j)
          block[j] = first + j < moves.count ? load<Doubles>(moves.sources[first + j] + term) : Doubles{};
        transpose<kGroup>(block);
        for (unsigned j = 0; j < kGroup; ++j)
          store(rows + (term + j) * kColumns + first, __builtin_convertvector(block[j], Narrow));
      }
  }

  void scatter(const Moves& moves) const {
    const T* rows = reinterpret_cast<const T*>(by_degree_);
    for (unsigned first = 0; first < moves.count; first += kGroup)
      for (std::size_t term = 0; term < rows_; term += kGroup) {
        Doubles block[kGroup];
        for (unsigned j = 0; j < kGroup; ++j)
          block[j] = __builtin_convertvector(load<Narrow>(rows + (term + j) * kColumns + first), Doubles);
        transpose<kGroup>(block);
        for (unsigned j = 0; j < kGroup && first + j < moves.count; ++j) {
          double* target = moves.targets[first + j] + term;
          store(target, load<Doubles>(target) + block[j]);
        }
      }
  }

  // About the z axis, by the angle of the table or back.
  void turn_azimuth(T direction) const {
    for (unsigned n = 1; n < side_; ++n) {
      for (unsigned m = 1; m <= n; ++m) {
        const T cosine = view_.azimuth[m], sine = direction * view_.azimuth[side_ + m];
        V* c = by_degree_ + 2 * cos_term(n, m);
        V* s = by_degree_ + 2 * sin_term(n, m);
        for (unsigned i = 0; i < 2; ++i) {
          const V old = c[i];
          c[i] = cosine * old + sine * s[i];
          s[i] = cosine * s[i] - sine * old;
        }
      }
    }
  }

  // Between rows by degree and rows by m: cos terms (n, m) lie at m * side + n, sin terms behind them.
  template <bool Back>
  void turn_polar(unsigned n) const {
    const T* matrix = view_.polar + offset(n);
    const Rows cos_rows{by_degree_ + 2 * cos_term(n, 0), 1};
    const Rows sin_rows{by_degree_ + 2 * sin_term(n, 1), 1};
    V* by_m = Back ? moved_ : turned_;
    const Rows cos_by_m{by_m + 2 * n, side_};
    const Rows sin_by_m{by_m + 2 * (rows_ + side_ + n), side_};
    const T* sin_matrix = matrix + (n + 1) * (n + 1);
    Math::template multiply<Back>(matrix, n + 1, n + 1, n + 1, Back ? cos_by_m : cos_rows, Back ? cos_rows : cos_by_m);
    Math::template multiply<Back>(sin_matrix, n, n, n, Back ? sin_by_m : sin_rows, Back ? sin_rows : sin_by_m);
  }

  void move() const {
    const T* matrix = view_.axial;
    for (unsigned m = 0; m < side_; ++m) {
      const unsigned size = side_ - m;
      const std::size_t first = m * side_ + m;
      move_rows(matrix, size, first);
      if (m > 0) move_rows(matrix, size, rows_ + first);
      matrix += size * size;
    }
  }
  void move_rows(const T* matrix, unsigned size, std::size_t first) const {
    Math::template multiply<false>(matrix, size, size, size, Rows{turned_ + 2 * first, 1}, Rows{moved_ + 2 * first, 1});
  }

  // Of the blocks of degree n: the squares of all degrees below, of cos and of sin.
  static constexpr std::size_t offset(std::size_t n) {
    return n * (n + 1) * (2 * n + 1) / 6 + (n == 0 ? 0 : (n - 1) * n * (2 * n - 1) / 6);
  }

  TranslationView<T> view_;
  unsigned side_;
  std::size_t rows_;
  V* by_degree_;
  V* turned_;
  V* moved_;
};

template <class Isa, class T>
void translate(const TranslationView<T>& view, const Moves& moves, void* scratch) {
  Translator<Isa, T>(view, scratch).run(moves);
}

}  // namespace fmm
