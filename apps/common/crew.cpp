#include "common/crew.hpp"

namespace apps {

Status vote(unsigned rank, unsigned size, const Status& mine, const Maximum& maximum) {
  // The largest number wins: culprits before those that stopped because of them, low ranks before high ones.
  const std::uint64_t from_last = size - rank;
  std::uint64_t claim = 0;
  if (!mine.ok()) claim = mine.message().empty() ? from_last : size + from_last;
  const Result<std::uint64_t> worst = maximum(claim);
  if (!worst.ok()) return mine.message().empty() ? worst.status() : mine;
  if (*worst == 0) return {};
  return *worst == claim ? mine : stopped_by_another();
}

}  // namespace apps
