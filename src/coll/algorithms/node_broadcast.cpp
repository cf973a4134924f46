// The root shows, all take: one turn. S bytes read by each from the root's memory if that is offered, else in pieces of
// a desk, S more written, two pieces ahead of the slowest reader. Short ones lie in the line itself: XHC (Katevenis et
// al. 2022).
#include "coll/algorithms/node_algorithms.hpp"

#include <algorithm>

namespace polder::coll {
namespace {

// What a member takes of all bytes of the root.
struct Window {
  std::size_t all = 0, begin = 0, bytes = 0;
};

enum What : std::uint32_t { kInLine, kOffered, kOnDesk };

Task give(Node& node, const std::byte* data, std::size_t bytes) {
  const Offer offer = bytes >= kDirect ? node.offer(data, bytes) : Offer{};
  std::size_t done = 0;
  do {
    co_await node.next();
    const std::size_t piece = std::min(bytes - done, Node::kDesk);
    if (offer.kind != Offer::nothing) {
      node.show(&offer, sizeof offer, kOffered);
      done = bytes;
    } else if (bytes <= Node::kInline) {
      node.show(data, bytes, kInLine);
      done = bytes;
    } else {
      std::memcpy(node.desk(node.me), data + done, piece);
      node.show(nullptr, 0, kOnDesk);
      done += piece;
    }
    node.leave();
    node.ring_all();
  } while (done < bytes);
  if (offer.kind != Offer::nothing) co_await node.all_left();
}

// What of [at, at + bytes) of all, which lies at `from`, is in the window.
void take_part(const Window& window, std::size_t at, const std::byte* from, std::size_t bytes, std::byte* into) {
  const std::size_t begin = std::max(at, window.begin), end = std::min(at + bytes, window.begin + window.bytes);
  if (begin < end) std::memcpy(into + (begin - window.begin), from + (begin - at), end - begin);
}

// All at once, from the root's own memory.
Task take_offered(Node& node, Rank root, Window window, std::byte* into) {
  Offer offer;
  std::memcpy(&offer, node.line(root).content, sizeof offer);
  Place place;
  co_await node.reach(root, offer, window.all, place);
  co_await node.fetch(root, place, window.begin, into, window.bytes);
}

Task take(Node& node, Rank root, Window window, std::byte* into) {
  std::size_t done = 0;
  do {
    co_await node.next();
    co_await node.shown(root);
    const Node::Line& line = node.line(root);
    const std::size_t piece = line.what == kOnDesk ? std::min(window.all - done, Node::kDesk) : window.all;
    if (line.what == kOffered)
      co_await take_offered(node, root, window, into);
    else
      take_part(window, done, line.what == kInLine ? line.content : node.desk(root), piece, into);
    done += piece;
    node.leave();
    node.ring(root);
  } while (done < window.all);
}

}  // namespace

Task node_broadcast(Node& node, Rank root, std::byte* data, std::size_t bytes) {
  if (node.me == root) return give(node, data, bytes);
  return take(node, root, {bytes, 0, bytes}, data);
}

Task node_scatter(Node& node, Rank root, Parts parts, const std::byte* all, std::byte* mine) {
  if (node.me != root) return take(node, root, {parts.total(), parts.begin(node.me), parts.bytes(node.me)}, mine);
  if (parts.bytes(root) != 0) std::memcpy(mine, all + parts.begin(root), parts.bytes(root));
  return give(node, all, parts.total());
}

}  // namespace polder::coll
