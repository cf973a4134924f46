#include "api/armci/transfer/private_memory.hpp"

#include <array>
#include <complex>
#include <cstddef>
#include <cstring>
#include <string>
#include <type_traits>

namespace polder::armci {
namespace {

// Calls visit(local offset, remote offset, bytes) for each piece.
template <class Visit>
Status visit_level(const Strided& strided, std::size_t level, std::ptrdiff_t local, std::ptrdiff_t remote,
                   Visit& visit) {
  if (level == 0) return visit(local, remote, strided.bytes);
  const std::size_t at = level - 1;
  for (std::size_t i = 0; i < strided.counts[at]; ++i) {
    const auto step = std::ptrdiff_t(i);
    Status status = visit_level(strided, at, local + step * strided.local_stride[at],
                                remote + step * strided.remote_stride[at], visit);
    if (!status.ok()) return status;
  }
  return {};
}

template <class Visit>
Status for_each_piece(const Shape& shape, Visit visit) {
  switch (shape.kind()) {
    case Shape::Kind::contiguous: return visit(std::ptrdiff_t{0}, std::ptrdiff_t{0}, shape.bytes());
    case Shape::Kind::strided: return visit_level(shape.strided(), shape.strided().counts.size(), 0, 0, visit);
    case Shape::Kind::list: break;
  }
  for (const ListItem& item : shape.items())
    if (Status status = visit(item.local, item.remote, item.bytes); !status.ok()) return status;
  return {};
}

// Two's complement wraps; overflow of int would be undefined.
template <class T>
T combined(T y, T x, T a) {
  if constexpr (std::is_integral_v<T>) {
    using Wrapping = std::make_unsigned_t<T>;
    return T(Wrapping(y) + Wrapping(a) * Wrapping(x));
  } else {
    return y + a * x;
  }
}

template <class T>
void combine(const void* scale, const std::byte* from, std::byte* to, std::size_t bytes) {
  T a(1);
  if (scale != nullptr) std::memcpy(&a, scale, sizeof a);
  for (std::size_t at = 0; at < bytes; at += sizeof(T)) {
    T x, y;
    std::memcpy(&x, from + at, sizeof x);
    std::memcpy(&y, to + at, sizeof y);
    y = scale == nullptr ? combined<T>(y, x, T(1)) : combined<T>(y, x, a);
    std::memcpy(to + at, &y, sizeof y);
  }
}

void combine(const Accumulation& how, const std::byte* from, std::byte* to, std::size_t bytes) {
  switch (how.type) {
    case DataType::int32: return combine<std::int32_t>(how.scale, from, to, bytes);
    case DataType::int64: return combine<std::int64_t>(how.scale, from, to, bytes);
    case DataType::float32: return combine<float>(how.scale, from, to, bytes);
    case DataType::complex64: return combine<std::complex<float>>(how.scale, from, to, bytes);
    case DataType::complex128: return combine<std::complex<double>>(how.scale, from, to, bytes);
    default: return combine<double>(how.scale, from, to, bytes);
  }
}

Status copy_pieces(const std::byte* from, bool from_local, std::byte* to, const Shape& shape) {
  return for_each_piece(shape, [&](std::ptrdiff_t local, std::ptrdiff_t remote, std::size_t bytes) -> Status {
    std::memmove(to + (from_local ? remote : local), from + (from_local ? local : remote), bytes);
    return {};
  });
}

}  // namespace

Status put_privately(const void* local, void* remote, const Shape& shape) {
  return copy_pieces(static_cast<const std::byte*>(local), true, static_cast<std::byte*>(remote), shape);
}

Status get_privately(void* local, const void* remote, const Shape& shape) {
  return copy_pieces(static_cast<const std::byte*>(remote), false, static_cast<std::byte*>(local), shape);
}

Status accumulate_privately(const Accumulation& how, const void* local, void* remote, const Shape& shape) {
  const auto* const from = static_cast<const std::byte*>(local);
  auto* const to = static_cast<std::byte*>(remote);
  return for_each_piece(shape, [&](std::ptrdiff_t l, std::ptrdiff_t r, std::size_t bytes) -> Status {
    if (bytes % size_of(how.type) != 0)
      return {Code::invalid_size,
              std::to_string(bytes) + " bytes are no multiple of an element of " + std::string(to_string(how.type))};
    combine(how, from + l, to + r, bytes);
    return {};
  });
}

}  // namespace polder::armci
