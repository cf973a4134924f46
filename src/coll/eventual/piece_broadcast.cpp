#include "coll/eventual/piece_broadcast.hpp"

#include <algorithm>

namespace polder::coll {
namespace {

// How far a look goes for a piece that has come, so that a look costs the same whatever the number of pieces.
constexpr std::size_t kAhead = 64;

}  // namespace

void PieceBroadcast::begin(const PieceOperation& operation, Rank root) {
  root_ = root;
  has_lost_root_ = false;
  to_show_.clear();
  showing_ = 0, told_ = 0;
  lacking_.resize(operation.plan.pieces());
  // The first one last: it is taken from the end.
  for (std::uint32_t i = 0; i < operation.plan.pieces(); ++i)
    lacking_[lacking_.size() - 1 - i] = operation.plan.read_as(i, operation.window.me());
}

bool PieceBroadcast::advance(const PieceOperation& operation, bool is_impatient) {
  do {
    take_come(operation);
    while (showing_ < to_show_.size())
      if (!show_next(operation)) return false;
  } while (!has_lost_root_ && read_next(operation, is_impatient));
  return !reads_.any_under_way() && (has_lost_root_ || lacking_.empty());
}

void PieceBroadcast::take_come(const PieceOperation& operation) {
  for (PieceRead& read : reads_.all) {
    if (!read.is_under_way) continue;
    switch (PieceReads::got(operation.window, read)) {
      case Got::not_yet: break;
      case Got::lost:
        has_lost_root_ = has_lost_root_ || read.from == root_;
        lacking_.push_back(read.piece);
        break;
      case Got::yes:
        if (operation.plan.readers(read.piece, operation.window.me()) != 0) to_show_.push_back(read.piece);
        break;
    }
  }
}

bool PieceBroadcast::show_next(const PieceOperation& operation) {
  const std::uint32_t piece = to_show_[showing_];
  const Rank me = operation.window.me(), readers = operation.plan.readers(piece, me);
  for (; told_ < readers; ++told_)
    if (!operation.show(operation.plan.reader(piece, me, told_), piece)) return false;
  told_ = 0;
  ++showing_;
  return true;
}

// Of those that it wants next, the first that can be had. The root has all of them; it is asked for one at a time, because
// it sends what members ask for in the order in which they do: of many at once, the last one would have all of its own
// when the others are through.
bool PieceBroadcast::read_next(const PieceOperation& operation, bool is_impatient) {
  for (std::size_t i = 0; i < std::min(kAhead, lacking_.size()); ++i) {
    const auto at = lacking_.end() - 1 - std::ptrdiff_t(i);
    Rank from = operation.plan.source(*at, operation.window.me());
    if (from == root_ && reads_of_root()) continue;
    const bool is_there = from == root_ || (operation.is_shown(from, *at) && !operation.window.is_gone(from));
    if (!is_there && !is_impatient && !operation.is_lost(from)) continue;
    if (!is_there) from = root_;
    if (operation.window.is_gone(from)) {
      has_lost_root_ = true;
      return false;
    }
    if (!read(operation, *at, from)) return false;
    lacking_.erase(at);
    return true;
  }
  return false;
}

bool PieceBroadcast::reads_of_root() const {
  return std::any_of(reads_.all.begin(), reads_.all.end(),
                     [this](const PieceRead& read) { return read.is_under_way && read.from == root_; });
}

bool PieceBroadcast::read(const PieceOperation& operation, std::uint32_t piece, Rank from) {
  PieceRead* const read = reads_.unused();
  if (read == nullptr) return false;
  read->from = from, read->piece = piece;
  const std::size_t place = operation.contribution(piece);
  return PieceReads::post(operation.window, *read, operation.window.own() + place, place, operation.bytes(piece));
}

}  // namespace polder::coll
