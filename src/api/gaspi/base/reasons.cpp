#include "api/gaspi/base/reasons.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace polder::gaspi {
namespace {

constexpr unsigned kNoRank = ~0u;
std::atomic<unsigned> own_rank{kNoRank};

// More than there are. If there were others still, enough has been said by then.
std::array<std::atomic<const void*>, 64> said{};

bool is_first(const void* kind) {
  for (auto& place : said) {
    const void* there = nullptr;
    if (place.compare_exchange_strong(there, kind)) return true;
    if (there == kind) return false;
  }
  return false;
}

bool is_quiet() {
  const char* const wish = std::getenv("POLDER_GASPI_ERRORS");
  return wish != nullptr && std::strcmp(wish, "quiet") == 0;
}

}  // namespace

void say_reasons_as(unsigned rank) {
  own_rank.store(rank);
}

void say_reason(const void* kind, const char* reason) {
  static const bool quiet = is_quiet();
  if (quiet || !is_first(kind)) return;
  char who[32] = "";
  if (const unsigned rank = own_rank.load(); rank != kNoRank) std::snprintf(who, sizeof who, "rank %u: ", rank);
  char line[768];
  const int length = std::snprintf(line, sizeof line,
                                   "polder: %sGASPI_ERROR: %s (the first of its kind; POLDER_GASPI_ERRORS=quiet says "
                                   "none)\n",
                                   who, reason);
  // In one piece, and past the buffers of a program that may be about to abort.
  const auto bytes = std::min(std::size_t(length), sizeof line - 1);
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line, bytes);
}

}  // namespace polder::gaspi
