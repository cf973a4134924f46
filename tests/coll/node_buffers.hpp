// Buffers of a rank for tests of collectives on one node: in private memory, in segments, or partly.
#pragma once

#include "core/ranks.hpp"
#include "words.hpp"

#include <polder/runtime.hpp>
#include <polder/types.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace polder::test {

using WordSpan = std::span<std::uint64_t>;

// Who has its buffers in a segment.
enum class Placed { nobody, everybody, even_ranks };
inline constexpr Placed kPlaces[] = {Placed::nobody, Placed::everybody, Placed::even_ranks};

// Two buffers of a rank.
class Buffers {
 public:
  // Whole pages: what malloc() makes lies 16 bytes behind desks then, but for whole pages, as results that are made aside do.
  static constexpr std::size_t kWords = 392 * 4096 / sizeof(std::uint64_t);

  Buffers(Runtime& rt, Placed placed) : private_(2 * kWords), rt_(rt) {
    const bool in_segment = placed == Placed::everybody || (placed == Placed::even_ranks && rt.rank() % 2 == 0);
    std::uint64_t* all = private_.data();
    if (in_segment) {
      auto segment = rt.create_segment({.size = 16 * kWords});
      EXPECT_TRUE(ok(segment));
      all = segment->as<std::uint64_t>().data();
      segment_ = segment->id;
    }
    send = {all, kWords};
    receive = {all + kWords, kWords};
  }
  ~Buffers() {
    if (segment_) {
      EXPECT_TRUE(ok(rt_.delete_segment(*segment_)));
    }
  }
  Buffers(const Buffers&) = delete;

  void fill(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) send[i] = word(rt_.rank(), i), receive[i] = 7;
  }

  WordSpan send, receive;

 private:
  std::vector<std::uint64_t> private_;
  std::optional<SegmentId> segment_;
  Runtime& rt_;
};

}  // namespace polder::test
