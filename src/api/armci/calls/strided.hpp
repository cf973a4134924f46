// Strided transfers, for the calls that are made of them.
#pragma once

#include "api/armci/transfer/transfer.hpp"

namespace polder::armci {

// The arguments that all strided calls share.
struct Patch {
  void* source;
  const int* source_strides;
  void* target;
  const int* target_strides;
  const int* count;
  int levels;
  int proc;
};

int put_patch(const char* call, const Patch& patch, Mode mode);

}  // namespace polder::armci
