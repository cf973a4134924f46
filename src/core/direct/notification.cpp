#include "core/direct/notification.hpp"

#include "util/platform.hpp"

namespace polder::core {
namespace {

using Flags = const std::atomic<std::uint32_t>*;

std::optional<NotificationId> scan_one_by_one(Flags flags, NotificationId at, NotificationId end) {
  for (; at < end; ++at)
    if (flags[at].load(std::memory_order_acquire) != 0) return at;
  return std::nullopt;
}

#if POLDER_X86
// Returns the first id of a block of 32 with some flag set, or where fewer than 32 are left. Aligned 4-byte loads
// inside a vector load are single copies on x86; the caller reads the flag once more with acquire semantics.
POLDER_TARGET_AVX2 NotificationId skip_clear_blocks(Flags flags, NotificationId at, NotificationId end) {
  const auto* words = reinterpret_cast<const std::uint32_t*>(flags);
  for (; at + 32 <= end; at += 32) {
    const auto load = [&](int i) __attribute__((target("avx2,fma"))) {
      return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(words + at + std::ptrdiff_t{8} * i));
    };
    const __m256i low = _mm256_or_si256(load(0), load(1));
    const __m256i any = _mm256_or_si256(low, _mm256_or_si256(load(2), load(3)));
    if (!_mm256_testz_si256(any, any)) return at;
  }
  return at;
}
#else
NotificationId skip_clear_blocks(Flags, NotificationId at, NotificationId) {
  return at;
}
#endif

const bool kScanInVectors = util::cpu_has_avx2() && !util::kThreadSanitizer;

}  // namespace

std::optional<NotificationId> find_set_flag(Flags flags, NotificationId first, NotificationId count) {
  const NotificationId end = first + count;
  NotificationId at = first;
  if (count >= 32 && kScanInVectors) {
    while (true) {
      at = skip_clear_blocks(flags, at, end);
      if (at + 32 > end) break;
      // Another thread may have reset the flag meanwhile: then the search goes on behind it.
      if (auto found = scan_one_by_one(flags, at, at + 32)) return found;
      at += 32;
    }
  }
  return scan_one_by_one(flags, at, end);
}

std::string flag_names(SegmentId id, NotificationId first, NotificationId count) {
  const std::string of = " of segment " + std::to_string(id);
  if (count == 1) return "notification " + std::to_string(first) + of;
  return "notifications " + std::to_string(first) + " to " + std::to_string(first + (count - 1)) + of;
}

}  // namespace polder::core
