#include "coll/consistent/neighbour_lists.hpp"

#include <algorithm>
#include <limits>
#include <string>

namespace polder::coll {
namespace {

Status wrong_neighbours(const std::string& what, Code code = Code::invalid_argument) {
  return {code, "neighbours: " + what};
}

Status check_edges(const Neighbours::State::Side& side, std::span<const StridedPart> blocks, const char* what) {
  if (blocks.size() != side.members.size())
    return wrong_neighbours(std::to_string(blocks.size()) + " blocks to " + what + " for " +
                            std::to_string(side.members.size()) + " neighbours");
  for (const std::uint32_t edge : side.order)
    if (const auto extent = BlockLayout::measure(blocks.subspan(edge, 1)); !extent)
      return wrong_neighbours(
          "block " + std::to_string(edge) + " to " + what + ": " + std::string(extent.status().message()),
          extent.status().code());
  return {};
}

// Whether what is of each member lies in one piece, in the order of the letter: then nothing is copied before or behind it.
bool in_one_piece(const Neighbours::State::Side& side, std::span<const StridedPart> blocks) {
  Rank last = kNobody;
  std::size_t end = 0;
  for (const std::uint32_t edge : side.order) {
    const StridedPart& block = blocks[edge];
    if (block.blocks > 1 || (side.members[edge] == last && block.offset != end)) return false;
    last = side.members[edge];
    end = block.offset + block.blocks * block.size;
  }
  return true;
}

std::vector<Part> parts_of_members(const Neighbours::State::Side& side, std::span<const StridedPart> blocks) {
  std::vector<Part> parts(side.each.size());
  std::vector<bool> has_begun(side.each.size());
  for (const std::uint32_t edge : side.order) {
    Part& part = parts[side.members[edge]];
    if (!has_begun[side.members[edge]]) part.offset = blocks[edge].offset;
    has_begun[side.members[edge]] = true;
    part.size += blocks[edge].blocks * blocks[edge].size;
  }
  return parts;
}

std::vector<StridedPart> pieces_in_order(const Neighbours::State::Side& side, std::span<const StridedPart> blocks) {
  std::vector<StridedPart> pieces;
  for (const std::uint32_t edge : side.order) pieces.push_back(blocks[edge]);
  return pieces;
}

std::size_t bytes_of(const Neighbours::State::Side& side, std::span<const StridedPart> blocks, Rank member) {
  std::size_t bytes = 0;
  for (const std::uint32_t edge : side.order)
    if (side.members[edge] == member) bytes += blocks[edge].blocks * blocks[edge].size;
  return bytes;
}

}  // namespace

Result<std::unique_ptr<NeighbourLists>> neighbour_lists(const Neighbours& neighbours, const void* send,
                                                        std::span<const StridedPart> sent, void* receive,
                                                        std::span<const StridedPart> received) {
  const Neighbours::State& state = neighbours.state();
  if (!neighbours.committed()) return wrong_neighbours("they have not been committed");
  if (Status status = check_edges(state.destinations, sent, "send"); !status.ok()) return status;
  if (Status status = check_edges(state.sources, received, "receive"); !status.ok()) return status;
  const Rank me = state.group->index();
  if (bytes_of(state.destinations, sent, me) != bytes_of(state.sources, received, me))
    return wrong_neighbours("the block for this rank itself has two sizes");
  auto lists = std::make_unique<NeighbourLists>();
  lists->arguments = {.kind = Kind::neighbours, .send = send, .receive = receive};
  lists->arguments.edges = state.edges;
  lists->arguments.sent_each = state.destinations.each;
  lists->arguments.received_each = state.sources.each;
  if (in_one_piece(state.destinations, sent))
    lists->arguments.sent = lists->sent = parts_of_members(state.destinations, sent);
  else
    lists->arguments.sent_blocks = lists->sent_pieces = pieces_in_order(state.destinations, sent);
  if (in_one_piece(state.sources, received))
    lists->arguments.received = lists->received = parts_of_members(state.sources, received);
  else
    lists->arguments.received_blocks = lists->received_pieces = pieces_in_order(state.sources, received);
  return lists;
}

// A product that overflows is no place in memory, and BlockLayout refuses it.
std::vector<StridedPart> in_a_row(std::size_t blocks, std::size_t bytes) {
  std::vector<StridedPart> all;
  for (std::size_t block = 0; block < blocks; ++block) {
    std::size_t offset = 0;
    if (__builtin_mul_overflow(block, bytes, &offset)) offset = std::numeric_limits<std::size_t>::max() / 2;
    all.push_back({offset, 1, bytes, bytes});
  }
  return all;
}

std::vector<StridedPart> all_the_same(std::size_t blocks, std::size_t bytes) {
  return {blocks, StridedPart{0, 1, bytes, bytes}};
}

std::vector<StridedPart> as_blocks(std::span<const Part> parts) {
  std::vector<StridedPart> blocks;
  for (const Part& part : parts) blocks.push_back({part.offset, 1, part.size, part.size});
  return blocks;
}

}  // namespace polder::coll
