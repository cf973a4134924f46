// How many degrees an accuracy needs.
#pragma once

#include <cstddef>

namespace fmm {

inline constexpr double kFinestAccuracy = 1e-11;
inline constexpr double kCoarsestAccuracy = 0.1;

// The order at which the relative error (root mean square, of potential or field, whichever is larger) of uniformly
// distributed particles is at most `accuracy`. Charges of both signs cancel in the result and not in the error: they
// need more. From measured tables; other distributions can need one or two degrees more, see higher_order().
unsigned order_for(double accuracy, bool mixed_charges);

// The order to try when `order` gave `error` and `accuracy` was wanted; `order` if there is no higher one.
unsigned higher_order(unsigned order, double error, double accuracy);

// Whether translations in single precision, which are twice as fast, do not limit this accuracy.
bool single_precision_suffices(double accuracy);

// Bodies in a full leaf such that direct sums and translations take about the same time.
std::size_t leaf_size_for(unsigned order);

}  // namespace fmm
