// Collective steps of which each can fail at any rank: all ranks learn of it, and fail with the same sentence.
#pragma once

#include <polder/exchange.hpp>
#include <polder/status.hpp>

#include <span>
#include <type_traits>
#include <vector>

namespace polder::bootstrap::gathered {

// A Status as bytes. All zeros is success.
struct Verdict {
  Code code;
  char text[247];  // longer ones are cut
};

Verdict make_verdict(const Status& status);
inline bool is_good(const Verdict& verdict) {
  return verdict.code == Code::ok;
}

// Success, or what the first rank says that failed.
Status status_of(const Verdict& verdict, Rank rank);
template <class T, class VerdictOf>
Status first_failure(const std::vector<T>& all, VerdictOf verdict_of) {
  for (std::size_t rank = 0; rank < all.size(); ++rank)
    if (!is_good(verdict_of(all[rank]))) return status_of(verdict_of(all[rank]), Rank(rank));
  return {};
}

// One entry a rank.
template <class T>
Result<std::vector<T>> gather(const Exchange& exchange, const T& mine) {
  static_assert(std::is_trivially_copyable_v<T>);
  std::vector<T> all(exchange.size);
  const Status status = exchange.allgather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)));
  if (!status.ok()) return status;
  return all;
}

// The verdict of all: success if all ranks succeeded.
Status agree(const Exchange& exchange, const Status& mine);

}  // namespace polder::bootstrap::gathered
