#include "window.hpp"

#include <algorithm>
#include <string>

namespace fmm {

Window::~Window() {
  // Late failures change nothing: the segment ends with the runtime.
  if (segment_.data != nullptr) (void)runtime_.delete_segment(id_);
}

Status Window::reserve(std::size_t bytes) {
  if (segment_.data != nullptr && bytes <= segment_.size) return {};
  bytes = std::max<std::size_t>(bytes, 4096);
  if (segment_.data != nullptr) {
    Status status = runtime_.delete_segment(id_);
    if (!status.ok()) return status;
    segment_ = {};
  }
  Result<polder::Segment> segment = runtime_.create_segment({.size = bytes, .id = id_, .notifications = 0});
  if (!segment.ok()) {
    return {segment.status().code(),
            "cannot make a segment of " + std::to_string(bytes) + " bytes: " + segment.status().to_string()};
  }
  segment_ = *segment;
  return {};
}

}  // namespace fmm
