// What ends ranks on request: a launcher, nobody (a program started by hand), or, in tests, a mark in the page.
#pragma once

#include <polder/status.hpp>
#include <polder/types.hpp>

#include <string_view>

namespace polder::bootstrap::local {

class JobControl {
 public:
  virtual ~JobControl() = default;

  // Ends `rank`, which was still there a moment ago, on behalf of `by`. Does not wait for its end.
  virtual Status kill(Rank by, Rank rank) = 0;

  // Ends the job. Returns only where ranks are threads.
  virtual void abort(Rank by, int code, std::string_view reason) = 0;
};

}  // namespace polder::bootstrap::local
