// The root shows, all take: one turn. S bytes read by each from the root's memory if that is offered, else in pieces of
// desks: S bytes written and S read, by two cores at a time, as the root is kDesks ahead of the slowest reader. Short
// ones lie in the line itself (node_board.cpp): XHC (Katevenis et al. 2022).
#include "coll/algorithms/node_algorithms.hpp"
#include "util/copy.hpp"

#include <algorithm>

namespace polder::coll {
namespace {

// What a member takes of all bytes of the root, and what nobody takes, because it is the root's own.
struct Window {
  std::size_t all = 0, begin = 0, bytes = 0;
  std::size_t gap = 0, gap_bytes = 0;
  bool is_shared_out = false;  // each takes a part of its own

  // Where the next piece on a desk begins, and its bytes.
  std::size_t skip(std::size_t at) const { return at == gap ? at + gap_bytes : at; }
  std::size_t piece(std::size_t at) const {
    return std::min(Node::kDesk, (at < gap && gap_bytes != 0 ? gap : all) - at);
  }
};

// A part of the root that stays with it.
struct OwnPart {
  const std::byte* from = nullptr;
  std::byte* to = nullptr;
  std::size_t bytes = 0;
};

enum What : std::uint32_t { kOffered, kOnDesk };

// What all take the root does not offer from private memory: then each would copy all of it by the kernel.
Offer offer_of_root(Node& node, const std::byte* data, const Window& window) {
  if (window.all < kDirect) return {};
  if (!window.is_shared_out) return node.offer(data, window.all);
  const Offer offer = node.offer_for_copies(data, window.all);
  return offer.kind != Offer::process || node.ways().next_part_is_once({window.all - window.gap_bytes, Node::kDeskRoom})
             ? offer
             : Offer{};
}

Task give(Node& node, const std::byte* data, Window window, OwnPart own) {
  const Offer offer = offer_of_root(node, data, window);
  const bool is_offered = offer.kind != Offer::nothing;
  std::size_t done = window.skip(0);
  do {
    if (is_offered) {
      co_await node.next();
      node.show(&offer, sizeof offer, kOffered);
      done = window.all;
    } else {
      co_await node.next_with_desk();
      const std::size_t piece = window.piece(done);
      node.put(node.desk(node.me), data + done, piece);
      node.show(nullptr, 0, kOnDesk);
      done = window.skip(done + piece);
    }
    node.leave();
    node.ring_all();
  } while (done < window.all);
  if (own.bytes != 0 && own.to != own.from) util::copy(own.to, own.from, own.bytes);
  if (is_offered) co_await node.all_left();
}

// What of [at, at + bytes) of all, which lies at `from`, is in the window.
void take_part(Node& node, const Window& window, std::size_t at, const std::byte* from, std::size_t bytes,
               std::byte* into) {
  const std::size_t begin = std::max(at, window.begin), end = std::min(at + bytes, window.begin + window.bytes);
  if (begin < end) node.take(into + (begin - window.begin), from + (begin - at), end - begin, window.bytes);
}

// All at once, from the root's own memory.
Task take_offered(Node& node, Rank root, Window window, std::byte* into) {
  Offer offer;
  std::memcpy(&offer, node.line(root).content, sizeof offer);
  co_await node.fetch(root, offer, window.begin, into, window.bytes);
}

Task take(Node& node, Rank root, Window window, std::byte* into) {
  std::size_t done = window.skip(0);
  do {
    co_await node.next();
    co_await node.shown(root);
    if (node.line(root).what == kOnDesk) {
      const std::size_t piece = window.piece(done);
      take_part(node, window, done, node.desk(root), piece, into);
      done = window.skip(done + piece);
    } else {
      done = window.all;
      co_await take_offered(node, root, window, into);
    }
    node.leave();
    node.ring(root);
  } while (done < window.all);
}

}  // namespace

Task node_broadcast(Node& node, Rank root, std::byte* data, std::size_t bytes) {
  if (bytes <= Node::kInline) return board_broadcast(node, root, data, bytes);
  const Window window{bytes, 0, bytes};
  if (node.me == root) return give(node, data, window, {});
  return take(node, root, window, data);
}

namespace {

bool fits_lines(const Node& node, const Parts& parts) {
  constexpr std::size_t kMost = 4 * Node::kInline;
  if (parts.total() > kMost) return false;
  for (Rank member = 0; member < node.size; ++member)
    if (parts.bytes(member) > Node::kInline) return false;
  return true;
}

}  // namespace

Task node_scatter(Node& node, Rank root, Parts parts, const std::byte* all, std::byte* mine) {
  if (fits_lines(node, parts)) return board_scatter(node, root, parts, all, mine);
  const std::size_t own = parts.begin(root), bytes = parts.bytes(root);
  const Window window{parts.total(), parts.begin(node.me), parts.bytes(node.me), own, bytes, true};
  if (window.all >= kDirect) node.find_out_who_reads();
  if (node.me != root) return take(node, root, window, mine);
  return give(node, all, window, {all + own, mine, bytes});
}

}  // namespace polder::coll
