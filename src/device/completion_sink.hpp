// How a device tells that an operation has come to its end.
#pragma once

#include <polder/status.hpp>

namespace polder::device {

// An operation under way. Owned by core; the device calls local() once and then remote() once, from any thread,
// possibly before the call that posted the operation returns, and forgets it with remote().
class CompletionSink {
 public:
  // The source of a put may be changed again.
  virtual void local() = 0;

  // The effect is visible at the target, the data of a get or the old value of an atomic is here; or `status` says why
  // it never will be.
  virtual void remote(const Status& status) = 0;

 protected:
  ~CompletionSink() = default;
};

}  // namespace polder::device
