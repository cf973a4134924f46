// Broadcast over nodes: the root gives to one member of each node, its row, and each of these to its node. The network carries the
// vector once for each node, and not for each member. For N nodes: a broadcast of N, and one turn on each node, which takes a piece
// while the next one comes. Hierarchical collectives: Karonis et al. 2000; Zhu et al. 2009. Rows are the lanes of Träff 2020.
//
// By the first members of nodes instead of rows a root that is none of them waits for a turn of its own node before the network
// begins.
#include "coll/algorithms/node_algorithms.hpp"

#include <algorithm>

namespace polder::coll {

Task two_level_broadcast(Node& node, Wire* row, BroadcastOfWire between, NodeOfRoot root, std::byte* data,
                         std::size_t bytes) {
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  const bool begins_here = root.is_here && root.beside != root.row;  // else the network has to wait for nobody
  std::size_t done = 0;
  do {
    const std::size_t piece = std::min(kPiece, bytes - done);
    if (begins_here) co_await node_broadcast(node, root.beside, data + done, piece);
    if (row != nullptr && node.me == root.row) co_await between(*row, root.node, data + done, piece);
    if (!begins_here && node.size > 1) co_await node_broadcast(node, root.row, data + done, piece);
    done += piece;
  } while (done < bytes);
}

}  // namespace polder::coll
