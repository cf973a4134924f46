// Any text as PMIx's list of the ranks of a node: refused, or some ranks of the job, upwards, each once.
#include "bootstrap/pmix/rank_list.hpp"

#include <cstdint>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr polder::Rank kLimit = 5000;
  const auto ranks = polder::bootstrap::pmix::parse_ranks({reinterpret_cast<const char*>(data), size}, kLimit);
  for (std::size_t i = 0; i < ranks.size(); ++i)
    if (ranks[i] >= kLimit || (i > 0 && ranks[i] <= ranks[i - 1])) std::abort();
  return 0;
}
