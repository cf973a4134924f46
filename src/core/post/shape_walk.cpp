#include "core/post/shape_walk.hpp"

#include <algorithm>
#include <string>

namespace polder::core {
namespace {

// Sums in 128 bits, so that no stride and count of a caller can overflow unnoticed.
__extension__ using Wide = __int128;
constexpr Wide kLimit = Wide{1} << 62;

Status too_large() {
  return {Code::invalid_argument, "the shape's strides and counts span more than 2^62 bytes"};
}

Result<Bounds> strided_span(const Strided& s) {
  if (s.counts.size() > Strided::kMaxLevels)
    return Status(Code::invalid_argument, "a strided shape has " + std::to_string(s.counts.size()) +
                                              " levels, more than " + std::to_string(Strided::kMaxLevels));
  if (s.local_stride.size() != s.counts.size() || s.remote_stride.size() != s.counts.size())
    return Status(Code::invalid_argument, "a strided shape needs one local and one remote stride for each count");
  Wide lowest = 0, highest = s.bytes, bytes = s.bytes;
  for (std::size_t level = 0; level < s.counts.size(); ++level) {
    if (s.counts[level] == 0) return Bounds{};
    const Wide reach = Wide(s.remote_stride[level]) * Wide(s.counts[level] - 1);
    (reach < 0 ? lowest : highest) += reach;
    bytes *= s.counts[level];
    if (lowest < -kLimit || highest > kLimit || bytes > kLimit) return too_large();
  }
  if (bytes > kLimit) return too_large();
  if (s.bytes == 0) return Bounds{};
  return Bounds{std::int64_t(lowest), std::int64_t(highest), std::size_t(bytes)};
}

Result<Bounds> list_span(std::span<const ListItem> items) {
  Wide lowest = 0, highest = 0, bytes = 0;
  bool any = false;
  for (const ListItem& item : items) {
    if (item.bytes == 0) continue;
    const Wide end = Wide(item.remote) + Wide(item.bytes);
    lowest = any ? std::min<Wide>(lowest, item.remote) : Wide(item.remote);
    highest = any ? std::max<Wide>(highest, end) : end;
    bytes += item.bytes;
    any = true;
    if (lowest < -kLimit || highest > kLimit || bytes > kLimit) return too_large();
  }
  return Bounds{std::int64_t(lowest), std::int64_t(highest), std::size_t(bytes)};
}

}  // namespace

Result<Bounds> remote_span(const Shape& shape) {
  switch (shape.kind()) {
    case Shape::Kind::contiguous: return Bounds{0, std::int64_t(shape.bytes()), shape.bytes()};
    case Shape::Kind::strided: return strided_span(shape.strided());
    case Shape::Kind::list: return list_span(shape.items());
  }
  return Status(Code::invalid_argument, "no such shape");
}

std::size_t payload_bytes(const Shape& shape) {
  const auto span = remote_span(shape);
  return span.ok() ? span->bytes : 0;
}

}  // namespace polder::core
