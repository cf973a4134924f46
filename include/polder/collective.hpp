// Consistent collectives: every rank ends with the same, complete result.
#pragma once

#include <polder/accumulate.hpp>
#include <polder/export.hpp>
#include <polder/group.hpp>
#include <polder/status.hpp>
#include <polder/timeout.hpp>

#include <cstddef>
#include <functional>
#include <memory>

namespace polder {

// Combines two vectors of `count` elements into `result` (which may be `one`). timeout: it has changed nothing, and is
// called again in the next run(). Any other error is that of the collective, at this rank at least; the others learn of
// it where they need what was not combined. The group can be used again.
using Combine = std::function<Status(const void* one, const void* two, void* result, std::size_t count)>;

struct ReductionSpec {
  std::size_t count = 0;         // elements
  std::size_t element_size = 0;  // bytes
  // Associative and commutative. Where a group spans nodes only some members call it. All results are equal to the bit;
  // members are combined in ascending order where each node holds consecutive ones, else node by node.
  Combine combine;
};

// The ReductionSpec of a built-in operation; axpy is none.
POLDER_API Result<ReductionSpec> reduction(Reduction op, DataType type, std::size_t count);

// An allreduce under way. run() may be repeated after a timeout until it returns something else.
class POLDER_API Allreduce {
 public:
  // `send` and `receive` hold spec.count elements, may be the same, and must stay until run() has ended. Collective
  // over `group`.
  Allreduce(Group& group, ReductionSpec spec, const void* send, void* receive);
  ~Allreduce();
  Allreduce(Allreduce&&) noexcept;
  Allreduce& operator=(Allreduce&&) noexcept;

  Status run(Timeout timeout);

  // The next one over the same group, in the memory of this one, which has ended and not with a timeout.
  void begin_again(ReductionSpec spec, const void* send, void* receive);

  // For the library's own use.
  struct State;

 private:
  std::unique_ptr<State> state_;
};

// All in one, for those who wait to the end or give up. After a timeout the group can hold no further allreduce.
POLDER_API Status allreduce(Group& group, Reduction op, DataType type, const void* send, void* receive,
                            std::size_t count, Timeout timeout);

}  // namespace polder
