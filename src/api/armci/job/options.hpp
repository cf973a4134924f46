// What can be set from outside, in the environment.
#pragma once

#include <polder/status.hpp>

#include <cstdint>

namespace polder::armci {

struct Options {
  bool abort_on_error = true;            // POLDER_ARMCI_ERRORS: abort, or return
  bool tell_the_nodes = false;           // POLDER_ARMCI_TOPOLOGY: flat, or nodes
  std::uint64_t spare_bytes = 16 << 20;  // POLDER_ARMCI_SPARE_KB: of freed memory that a rank keeps for each group
};

// invalid_argument: a variable has a value that means nothing.
Result<Options> read_options();

}  // namespace polder::armci
