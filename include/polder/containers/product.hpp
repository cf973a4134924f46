// The product of two distributed matrices.
//
//   multiply(a, b, c);                          // c = a b
//   multiply(a, b, c, [](std::size_t m, std::size_t n, std::size_t k, const double* x, std::size_t ldx, const double* y,
//                        std::size_t ldy, double* z, std::size_t ldz) {
//     cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1, x, ldx, y, ldy, 1, z, ldz);
//   });
#pragma once

#include <polder/containers/for_each.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace polder::containers {

// z += x y for blocks in memory, row-major: x is m by k with rows `ldx` elements apart, y is k by n, z is m by n. A loop
// that compilers vectorise; a BLAS is several times as fast.
struct PlainProduct {
  template <class T>
  void operator()(std::size_t m, std::size_t n, std::size_t k, const T* x, std::size_t ldx, const T* y, std::size_t ldy,
                  T* z, std::size_t ldz) const {
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t l = 0; l < k; ++l) {
        const T factor = x[i * ldx + l];
        for (std::size_t j = 0; j < n; ++j) z[i * ldz + j] += factor * y[l * ldy + j];
      }
  }
};

// ---- panels ----

// A box of a matrix as plain memory: where it lies if it lies here in one block, else fetched. fetch() begins, ready()
// waits. The matrix stays unchanged meanwhile.
template <class V>
class ProductPanel {
 public:
  using T = typename V::value_type;

  void fetch(const V& matrix, const IndexBox<2>& box) {
    stride_ = box.extents[1];
    data_ = nullptr;
    auto& container = matrix.container();
    const auto part = matrix.sub(box.first, box.extents);
    for_each_piece(part, container.team().unit(), [&](const auto& piece) {
      if (piece.box != part.box() || piece.strides[1] != 1) return;
      data_ = container.local().data() + piece.offset;
      stride_ = piece.strides[0];
    });
    if (data_ != nullptr) return;
    fetched_.resize(box.size());
    data_ = fetched_.data();
    coming_.emplace(copy_async(part, std::span<T>(fetched_)));
  }
  void ready() {
    if (coming_) coming_->wait();
    coming_.reset();
  }
  const T* data() const { return data_; }
  std::size_t stride() const { return stride_; }

 private:
  std::vector<T> fetched_;
  const T* data_ = nullptr;
  std::size_t stride_ = 0;
  std::optional<CopyUnderWay> coming_;
};

// c += a b for one block of c that this unit owns. Panels of a and b come one ahead of the product. Units begin at
// different ones, so that they do not all fetch from one owner at a time.
template <class A, class B, class T, class Multiply>
void multiply_block(const A& a, const B& b, const IndexBox<2>& block, T* c, std::size_t stride, const Team& team,
                    Multiply& product) {
  constexpr std::size_t kDeep = 256;
  const std::size_t inner = a.extents()[1], panels = (inner + kDeep - 1) / kDeep;
  const std::size_t first = team.unit() * panels / team.units();
  ProductPanel<A> of_a[2];
  ProductPanel<B> of_b[2];
  auto depth = [&](std::size_t panel) { return std::min(kDeep, inner - panel * kDeep); };
  auto fetch = [&](std::size_t number) {
    const std::size_t panel = (first + number) % panels;
    of_a[number % 2].fetch(a, {{block.first[0], panel * kDeep}, {block.extents[0], depth(panel)}});
    of_b[number % 2].fetch(b, {{panel * kDeep, block.first[1]}, {depth(panel), block.extents[1]}});
  };
  if (panels != 0) fetch(0);
  for (std::size_t number = 0; number < panels; ++number) {
    auto& x = of_a[number % 2];
    auto& y = of_b[number % 2];
    x.ready();
    y.ready();
    if (number + 1 < panels) fetch(number + 1);
    product(block.extents[0], block.extents[1], depth((first + number) % panels), x.data(), x.stride(), y.data(),
            y.stride(), c, stride);
  }
}

// ---- the whole ----

// c = a b. Matrices or views of any distributions over any teams; c shares no elements with a and b. Collective over the
// team of c: each unit computes what it owns of it and fetches what that needs by one-sided gets, in panels of 256, while it
// multiplies the panels before (SRUMMA: Krishnan and Nieplocha 2004). Panels that lie here are read where they lie. A block
// of c of m by n, with K between, fetches (m + n) K elements: so blocks are to be large, one or a few a unit; memory beside
// the matrices is 512 (m + n) elements. Sums are in an order that depends on the number of units. Begins and ends with a
// barrier. Throws Failure: extents that do not fit, named; a unit is gone, time is up.
template <BoxRange RangeA, BoxRange RangeB, BoxRange RangeC, class Multiply = PlainProduct>
void multiply(RangeA&& range_a, RangeB&& range_b, RangeC&& range_c, Multiply product = {}) {
  const auto a = view_of(range_a);
  const auto b = view_of(range_b);
  const auto c = view_of(range_c);
  using T = typename decltype(c)::value_type;
  static_assert(decltype(a)::kDimensions == 2 && decltype(b)::kDimensions == 2 && decltype(c)::kDimensions == 2,
                "matrices have two dimensions");
  auto& container = c.container();
  auto named = [](const auto& view) { return "'" + view.container().name() + "' of " + to_string(view.extents()); };
  const std::string what = "product of " + named(a) + " and " + named(b) + " into " + named(c);
  if (a.extents()[1] != b.extents()[0] || a.extents()[0] != c.extents()[0] || b.extents()[1] != c.extents()[1])
    throw_failure(Code::invalid_size, what + ": their extents do not fit");
  container.team().barrier(what);
  const auto compute = [&](const auto& piece) {
    if (piece.strides[1] != 1) throw_failure(Code::invalid_argument, what + ": rows of its blocks do not lie together");
    T* const data = container.local().data() + piece.offset;
    for (std::size_t row = 0; row < piece.box.extents[0]; ++row)
      std::fill_n(data + row * piece.strides[0], piece.box.extents[1], T{});
    IndexBox<2> block = piece.box;
    for (std::size_t d = 0; d < 2; ++d) block.first[d] -= c.box().first[d];
    multiply_block(a, b, block, data, piece.strides[0], container.team(), product);
  };
  container.team().own_part([&] { for_each_piece(c, container.team().unit(), compute); });
  container.team().barrier(what);
}

}  // namespace polder::containers
