// What becomes of an error: the interface has hardly a place for one, and its users look at none.
#pragma once

#include <polder/status.hpp>

namespace polder::armci {

// Prints "ARMCI, rank 2: ARMCI_Put: ..." and ends the job; with POLDER_ARMCI_ERRORS=return, returns 1 instead.
int failed(const char* call, const Status& status);

// For an outcome that programs are prepared for: prints it where `here` is true, ends nothing, returns 1.
int told(const char* call, const Status& status, bool here);

// For the end of a call.
inline int outcome(const char* call, const Status& status) {
  return status.ok() ? 0 : failed(call, status);
}

// The call was made before ARMCI_Init or after ARMCI_Finalize.
int failed_outside(const char* call);

}  // namespace polder::armci
