// A segment of this job, by its number, and its memory here.
#pragma once

#include "team.hpp"

#include <cstddef>
#include <span>

namespace fmm {

// The segments of a rank. Each lives from its first use to the end of the runtime and grows when it must.
enum class Part : polder::SegmentId { inbox, cells, multipoles, bodies, results };

class Window {
 public:
  Window(polder::Runtime& runtime, Part part) : runtime_(runtime), id_(polder::SegmentId(part)) {}
  ~Window();
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  // At least `bytes` of memory. What was in it is lost if it grows. Not collective, but nobody may use it meanwhile:
  // the caller sees to a barrier before and after.
  Status reserve(std::size_t bytes);

  std::byte* data() const { return segment_.data; }
  std::size_t bytes() const { return segment_.size; }
  template <class T>
  T* as() const {
    return reinterpret_cast<T*>(segment_.data);
  }
  // The same place at another rank.
  polder::GlobalAddress at(polder::Rank rank, std::uint64_t offset = 0) const { return {rank, id_, offset}; }

 private:
  polder::Runtime& runtime_;
  polder::SegmentId id_;
  polder::Segment segment_;
};

}  // namespace fmm
