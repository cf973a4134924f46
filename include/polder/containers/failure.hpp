// The exception of containers: a Status of the runtime, what was being done, and the ranks that have failed.
#pragma once

#include <polder/status.hpp>
#include <polder/types.hpp>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace polder::containers {

class Failure : public std::runtime_error {
 public:
  Failure(Status status, const std::string& text, std::vector<Rank> failed = {})
      : std::runtime_error(text), status_(std::move(status)), failed_(std::move(failed)) {}

  const Status& status() const { return status_; }
  Code code() const { return status_.code(); }
  // Ranks of the job, ascending, that were known to be gone when it was thrown.
  const std::vector<Rank>& failed() const { return failed_; }

 private:
  Status status_;
  std::vector<Rank> failed_;
};

[[noreturn]] inline void throw_failure(Code code, const std::string& text) {
  Status status(code, text);
  const std::string whole = status.to_string();
  throw Failure(std::move(status), whole);
}

}  // namespace polder::containers
