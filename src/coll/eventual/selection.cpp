#include "coll/eventual/selection.hpp"

#include "util/assert.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

namespace polder::coll {
namespace {

template <class T>
std::vector<double> magnitudes_as(const std::byte* vector, std::size_t elements) {
  std::vector<double> all(elements);
  for (std::size_t i = 0; i < elements; ++i) {
    T value;
    std::memcpy(&value, vector + i * sizeof value, sizeof value);
    all[i] = std::fabs(double(value));
    if (std::isnan(all[i])) all[i] = std::numeric_limits<double>::infinity();  // must be seen, and sorted
  }
  return all;
}

std::vector<double> magnitudes(const std::byte* vector, std::size_t elements, DataType type) {
  switch (type) {
    case DataType::int8: return magnitudes_as<std::int8_t>(vector, elements);
    case DataType::int16: return magnitudes_as<std::int16_t>(vector, elements);
    case DataType::int32: return magnitudes_as<std::int32_t>(vector, elements);
    case DataType::int64: return magnitudes_as<std::int64_t>(vector, elements);
    case DataType::uint8: return magnitudes_as<std::uint8_t>(vector, elements);
    case DataType::uint16: return magnitudes_as<std::uint16_t>(vector, elements);
    case DataType::uint32: return magnitudes_as<std::uint32_t>(vector, elements);
    case DataType::uint64: return magnitudes_as<std::uint64_t>(vector, elements);
    case DataType::float32: return magnitudes_as<float>(vector, elements);
    case DataType::float64: return magnitudes_as<double>(vector, elements);
    default: return {};
  }
}

}  // namespace

void ElementSelection::pack(std::byte* packed, const std::byte* vector, std::size_t size) const {
  if (chosen == 0) return;
  if (!order.empty()) {
    for (std::size_t i = 0; i < chosen; ++i) std::memcpy(packed + i * size, vector + order[i] * size, size);
    return;
  }
  const std::size_t straight = std::min(chosen, elements - first);
  std::memcpy(packed, vector + first * size, straight * size);
  std::memcpy(packed + straight * size, vector, (chosen - straight) * size);
}

void ElementSelection::unpack(std::byte* vector, const std::byte* packed, std::size_t size) const {
  if (chosen == 0) return;
  if (!order.empty()) {
    for (std::size_t i = 0; i < chosen; ++i) std::memcpy(vector + order[i] * size, packed + i * size, size);
    return;
  }
  const std::size_t straight = std::min(chosen, elements - first);
  std::memcpy(vector + first * size, packed, straight * size);
  std::memcpy(vector, packed + straight * size, (chosen - straight) * size);
}

EventualStatus::Bits ElementSelection::bits() const {
  EventualStatus::Bits bits((elements + 63) / 64);
  for (std::size_t i = 0; i < chosen; ++i) set_bit(bits, order.empty() ? (first + i) % elements : order[i]);
  return bits;
}

void set_bit(EventualStatus::Bits& bits, std::size_t i) {
  bits[i / 64] |= std::uint64_t{1} << i % 64;
}

std::size_t part_of(double share, std::size_t whole) {
  POLDER_ASSERT(0 <= share && share <= 1);
  const double exact = share * double(whole);
  // 0.1 * 30 is a little more than 3: what the share and the product are rounded by is no part.
  const double rounded = std::round(exact);
  const double part =
      std::fabs(exact - rounded) <= 4 * std::numeric_limits<double>::epsilon() * exact ? rounded : std::ceil(exact);
  return std::min(whole, std::size_t(part));
}

std::vector<std::size_t> largest_of(const std::byte* vector, std::size_t elements, std::size_t count, DataType type) {
  const std::vector<double> size = magnitudes(vector, elements, type);
  std::vector<std::size_t> all(size.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  count = std::min(count, all.size());
  const auto larger = [&](std::size_t a, std::size_t b) { return size[a] != size[b] ? size[a] > size[b] : a < b; };
  std::nth_element(all.begin(), all.begin() + std::ptrdiff_t(count), all.end(), larger);
  all.resize(count);
  std::sort(all.begin(), all.end());
  return all;
}

bool has_magnitude(std::uint8_t type) {
  return size_of(DataType(type)) != 0 && DataType(type) != DataType::complex64 &&
         DataType(type) != DataType::complex128;
}

}  // namespace polder::coll
