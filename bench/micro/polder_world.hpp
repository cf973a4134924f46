// The ranks of a Polder job as the World of sampling.hpp.
#pragma once

#include <polder/runtime.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

namespace bench {

// Long enough for the slowest measurement on the busiest machine; a run that needs more has hung.
inline constexpr polder::Timeout kPatience = std::chrono::seconds(60);

class PolderWorld {
 public:
  explicit PolderWorld(polder::Runtime& runtime) : runtime_(runtime) {}

  int rank() const { return int(runtime_.rank()); }
  int size() const { return int(runtime_.size()); }
  polder::Runtime& runtime() const { return runtime_; }

  void barrier() { must("barrier", runtime_.world().barrier(kPatience)); }

  std::uint64_t from_zero(std::uint64_t value) { return of_all(value).front(); }
  std::uint64_t largest(std::uint64_t value) { return std::ranges::max(of_all(value)); }

  // Ends the job with a message unless `status` is success: a measurement with a failed operation in it is none.
  void must(const char* operation, const polder::Status& status) {
    if (!status.ok()) [[unlikely]]
      fail(operation, status);
  }
  template <class T>
  T must(const char* operation, polder::Result<T>&& result) {
    // The address of `result` goes nowhere, so that it can live in registers, as it does in a program.
    if (!result.ok()) [[unlikely]]
      fail(operation, polder::Status(std::move(result).status()));
    return *std::move(result);
  }

 private:
  std::vector<std::uint64_t> of_all(std::uint64_t mine);
  [[noreturn]] void fail(const char* operation, const polder::Status& status);

  polder::Runtime& runtime_;
};

}  // namespace bench
