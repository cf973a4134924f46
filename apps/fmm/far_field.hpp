// Multipole expansions acting on local ones. Pairs of equal direction are collected and translated together.
#pragma once

#include "cell.hpp"
#include "expansions.hpp"

#include <cstdint>
#include <memory>

namespace fmm {

enum class Precision : std::uint8_t { single, full };  // of translations; expansions are always kept as doubles

class FarField {
 public:
  virtual ~FarField() = default;

  // `multipole` of `source` acts on `local` of `target`, now or by the next flush(); both must stay. REQUIRES: the
  // cells are well separated.
  virtual void add(const Cell& target, double* local, const Cell& source, const double* multipole) = 0;
  // Completes what was added.
  virtual void flush() = 0;

  virtual std::uint64_t translations() const = 0;
  virtual double seconds() const = 0;  // spent in translations
};

std::unique_ptr<FarField> make_far_field(const Expansions& expansions, Precision precision);

}  // namespace fmm
