// Reductions that are exact: each number becomes a sum of one before anything is combined, and is rounded afterwards.
#include "coll/consistent/exact.hpp"

#include "coll/consistent/half.hpp"
#include "coll/lane/call_record.hpp"

#include <polder/exact_sum.hpp>

#include <cstring>
#include <string>

namespace polder {
namespace {

struct OfFloat16 {
  static double read(std::uint16_t bits) { return double(coll::from_float16(bits)); }
  static std::uint16_t write(const ExactSum& sum) { return coll::to_float16(sum.odd_single()); }
};
struct OfBfloat16 {
  static double read(std::uint16_t bits) { return double(coll::from_bfloat16(bits)); }
  static std::uint16_t write(const ExactSum& sum) { return coll::to_bfloat16(sum.odd_single()); }
};
struct OfFloat32 {
  static double read(float value) { return double(value); }
  static float write(const ExactSum& sum) { return sum.single(); }
};
struct OfFloat64 {
  static double read(double value) { return value; }
  static double write(const ExactSum& sum) { return sum.number(); }
};

// `Element` is what the buffers hold, `per` of them an element of the reduction: two of a complex number.
template <class Of, class Element, std::size_t per>
void widen_exactly(const void* narrow, void* wide, std::size_t count) {
  for (std::size_t i = 0; i < count * per; ++i) {
    Element element;
    std::memcpy(&element, static_cast<const std::byte*>(narrow) + i * sizeof element, sizeof element);
    ExactSum sum;
    sum.add(Of::read(element));
    std::memcpy(static_cast<std::byte*>(wide) + i * sizeof sum, &sum, sizeof sum);
  }
}

template <class Of, class Element, std::size_t per>
void narrow_exactly(const void* wide, void* narrow, std::size_t count) {
  for (std::size_t i = 0; i < count * per; ++i) {
    ExactSum sum;
    std::memcpy(&sum, static_cast<const std::byte*>(wide) + i * sizeof sum, sizeof sum);
    const Element element = Of::write(sum);
    std::memcpy(static_cast<std::byte*>(narrow) + i * sizeof element, &element, sizeof element);
  }
}

template <std::size_t per>
Status combine_exactly(const void* one, const void* two, void* result, std::size_t count) {
  for (std::size_t at = 0; at < count * per * sizeof(ExactSum); at += sizeof(ExactSum)) {
    ExactSum sum, other;
    std::memcpy(&sum, static_cast<const std::byte*>(one) + at, sizeof sum);
    std::memcpy(&other, static_cast<const std::byte*>(two) + at, sizeof other);
    sum.add(other);
    std::memcpy(static_cast<std::byte*>(result) + at, &sum, sizeof sum);
  }
  return {};
}

template <class Of, class Element, std::size_t per = 1>
ReductionSpec exact_spec(std::size_t count, std::uint8_t type) {
  ReductionSpec spec{count, per * sizeof(ExactSum),       combine_exactly<per>,
                     true,  std::uint8_t(Reduction::sum), std::uint8_t(type | coll::CallRecord::kExact)};
  spec.narrow_size = per * sizeof(Element);
  spec.widen = widen_exactly<Of, Element, per>;
  spec.narrow = narrow_exactly<Of, Element, per>;
  return spec;
}

}  // namespace

namespace coll {

std::optional<ReductionSpec> exact_sum_of(DataType type, std::size_t count) {
  switch (type) {
    case DataType::float32: return exact_spec<OfFloat32, float>(count, std::uint8_t(type));
    case DataType::float64: return exact_spec<OfFloat64, double>(count, std::uint8_t(type));
    case DataType::complex64: return exact_spec<OfFloat32, float, 2>(count, std::uint8_t(type));
    case DataType::complex128: return exact_spec<OfFloat64, double, 2>(count, std::uint8_t(type));
    default: return std::nullopt;
  }
}

ReductionSpec exact_sum_of(HalfType type, std::size_t count) {
  return type == HalfType::float16 ? exact_spec<OfFloat16, std::uint16_t>(count, CallRecord::kFloat16)
                                   : exact_spec<OfBfloat16, std::uint16_t>(count, CallRecord::kBfloat16);
}

}  // namespace coll

ReductionSpec exact_sums(std::size_t count) {
  return {
      count, sizeof(ExactSum), combine_exactly<1>, true, std::uint8_t(Reduction::sum), coll::CallRecord::kExactSums};
}

}  // namespace polder
