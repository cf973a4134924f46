// The allreduce of one group: begun by a first call, gone on with by later ones after a timeout (GASPI 17.1,
// sections 11.3 and 11.4).
#pragma once

#include "api/gaspi/base/symbols.hpp"
#include "api/gaspi/base/timeout.hpp"

#include <polder/collective.hpp>

#include <cstddef>
#include <optional>
#include <vector>

namespace polder::gaspi {

// What kind of allreduce: a call that goes on with one must ask for the same.
struct ReduceKind {
  gaspi_number_t num = 0;
  gaspi_size_t element_size = 0;       // bytes
  std::optional<Reduction> operation;  // empty: `user`
  DataType type = DataType::int32;     // of a predefined operation
  gaspi_reduce_operation_t user = nullptr;

  bool operator==(const ReduceKind&) const = default;
  std::size_t bytes() const { return num * element_size; }
};

// Not thread safe: the group lets one thread in at a time.
class Reducer {
 public:
  bool active() const { return active_; }

  // GASPI_ERR_ACTIVE_COLL: another kind is under way.
  gaspi_return_t run(Group& group, const ReduceKind& kind, const void* send, void* receive, gaspi_reduce_state_t state,
                     const Deadline& deadline);

 private:
  gaspi_return_t begin(Group& group, const ReduceKind& kind, const void* send);
  Result<ReductionSpec> spec();
  Status combine(const void* one, const void* two, void* result, std::size_t count) const;

  ReduceKind kind_;
  // The program may reuse its send buffer, and name another receive buffer, before the operation ends.
  std::vector<std::byte> input_;
  std::vector<std::byte> output_;
  // Of the call that is running, for the program's operation.
  gaspi_reduce_state_t state_ = nullptr;
  Deadline deadline_{Timeout::test()};
  std::optional<Allreduce> allreduce_;  // kept from one to the next: no allocation for each
  bool active_ = false;
};

}  // namespace polder::gaspi
