// Alltoall over nodes that have as many members each: a member first gives each of its node what goes to the row of that one, the members
// with the same place on all nodes, and each row exchanges what it has. For N nodes of n members: an alltoall of n with blocks of N S
// bytes on a node, and one of N with blocks of n S over the network: N-1 letters from each instead of N n - 1, and three copies more of
// all that a member sends. Short blocks. Rows are the lanes of Träff 2020; one letter for many of a node: Kumar, Sabharwal, Garg 2008.
#include "coll/algorithms/node_algorithms.hpp"
#include "util/copy.hpp"

#include <vector>

namespace polder::coll {
namespace {

std::vector<Block> blocks_of(Rank members, std::size_t bytes) {
  std::vector<Block> blocks(members);
  for (Rank member = 0; member < members; ++member) blocks[member] = {member * bytes, bytes};
  return blocks;
}

// Rows and columns of blocks change places.
void transpose(const std::byte* from, std::byte* into, Rank rows, Rank columns, std::size_t bytes) {
  for (Rank row = 0; row < rows; ++row)
    for (Rank column = 0; column < columns; ++column)
      util::copy(into + (column * rows + row) * bytes, from + (row * columns + column) * bytes, bytes);
}

}  // namespace

Task two_level_alltoall(Node& node, Wire& row, AlltoallOfWire between, std::vector<Rank> by_node, const std::byte* send,
                        std::byte* receive, std::size_t bytes) {
  const Rank beside = node.size, nodes = row.size;
  const std::size_t all = by_node.size() * bytes;
  std::byte* const here = node.scratch(all);
  std::byte* const there = node.scratch(all);
  // Of each of this node a row of blocks to its row, node by node.
  for (std::size_t i = 0; i < by_node.size(); ++i)
    util::copy(here + (i % beside * nodes + i / beside) * bytes, send + by_node[i] * bytes, bytes);
  const std::vector<Block> of_rows = blocks_of(beside, nodes * bytes);
  co_await node_alltoall(node, here, of_rows.data(), there, of_rows.data(), nodes * bytes);
  transpose(there, here, beside, nodes, bytes);
  const std::vector<Block> of_nodes = blocks_of(nodes, beside * bytes);
  co_await between(row, here, of_nodes.data(), there, beside * bytes);
  for (std::size_t i = 0; i < by_node.size(); ++i) util::copy(receive + by_node[i] * bytes, there + i * bytes, bytes);
}

}  // namespace polder::coll
