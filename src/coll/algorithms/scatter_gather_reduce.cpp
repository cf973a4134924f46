// Reduce of long vectors: reduce-scatter on a circulant graph, then gather the parts at the root. 2 ceil(log2 N)
// rounds, 2 S (N-1)/N bytes: 2 ceil(lg N) (L + 2o) + S (N-1)/N (2G + y). Commuting functions. Rabenseifner 2004; Traff
// 2024.
#include "coll/algorithms/circulant.hpp"

namespace polder::coll {

Task scatter_gather_reduce(Wire& wire, Rank root, const std::byte* send, std::byte* receive, std::size_t count) {
  const Parts parts(count, wire.size, wire.elements.size);
  std::byte* const mine = wire.me == root ? receive + parts.begin(root) : wire.scratch(parts.bytes(wire.me));
  co_await circulant_reduce_scatter(wire, parts, send, mine);
  co_await binomial_gather(wire, root, parts, mine, receive);
}

}  // namespace polder::coll
