// Whether this thread fills pages that others wait for; what devices share of Device::fill_pages.
#pragma once

namespace polder::device {

class FillingThread {
 public:
  static void note(bool begin) { depth_ += begin ? 1 : -1; }
  static bool here() { return depth_ > 0; }

 private:
  static inline thread_local int depth_ = 0;  // in whatever device
};

}  // namespace polder::device
