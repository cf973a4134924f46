#include "api/armci/transfer/transfer.hpp"

#include <cstdio>
#include <string>

namespace polder::armci {

Status check_private(const Context& context, const void* remote, const void* local, int proc) {
  if (proc < 0 || Rank(proc) >= context.size())
    return {Code::invalid_rank,
            "there is no rank " + std::to_string(proc) + " among " + std::to_string(context.size())};
  if (remote == nullptr || local == nullptr) return {Code::invalid_argument, "an address is NULL"};
  if (proc == int(context.rank())) return {};
  char text[32];
  std::snprintf(text, sizeof text, "%p", remote);
  return {Code::invalid_segment,
          "the address " + std::string(text) + " is in no allocation of rank " + std::to_string(proc)};
}

Status negative_size(long bytes) {
  return {Code::invalid_size, "a size of " + std::to_string(bytes) + " bytes"};
}

}  // namespace polder::armci
