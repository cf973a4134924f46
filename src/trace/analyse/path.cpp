#include "trace/analyse/path.hpp"

#include <algorithm>

namespace polder::trace {

namespace {

constexpr std::size_t kMostPieces = 4000, kMostCalls = 2000;

template <class Items, class Larger>
void keep_first(Items& items, std::size_t most, Larger&& larger) {
  std::stable_sort(items.begin(), items.end(), larger);
  if (items.size() > most) items.resize(most);
}

}  // namespace

PathReader::PathReader(const std::vector<PathPiece>& pieces) : all_(pieces) {
  for (const PathPiece& piece : pieces) {
    of_rank_[piece.rank].push_back(piece);
    PathShare& share = shares_[piece.rank];
    share.rank = piece.rank;
    share.ns[std::size_t(Activity::compute)] += piece.end_ns - piece.begin_ns;  // what calls take is moved later
  }
}

std::int64_t PathReader::on_path(const Call& call) const {
  const auto ends_later = [](std::int64_t ns, const PathPiece& piece) { return ns < piece.end_ns; };
  std::int64_t sum = 0;
  for (auto at = std::upper_bound(pieces_->begin(), pieces_->end(), call.begin_ns, ends_later);
       at != pieces_->end() && at->begin_ns < call.end_ns; ++at)
    sum += std::min(at->end_ns, call.end_ns) - std::max(at->begin_ns, call.begin_ns);
  return sum;
}

void PathReader::take(const TraceFile& file, const Event& event) {
  if (event.thread != 0 || event.phase != Phase::span) return;
  const EventKind like = Job::like(file, event.kind);
  if (!is_call(like) && like != EventKind::runtime) return;
  if (pieces_ == nullptr) {
    static const Pieces kNone;
    const auto found = of_rank_.find(file.rank());
    pieces_ = found == of_rank_.end() ? &kNone : &found->second;
  }
  if (pieces_->empty()) return;
  outermost_.add({event.begin_ns, event.end_ns, event.kind, like}, [&](const Call& call, int sign) {
    const std::int64_t ns = sign * on_path(call);
    if (ns == 0) return;
    by_kind_[call.kind] += ns;
    auto& share = shares_[file.rank()].ns;
    share[std::size_t(activity_of(call.like))] += ns;
    share[std::size_t(Activity::compute)] -= ns;
  });
}

void PathReader::finish(const TraceFile& file) {
  for (const auto& [kind, ns] : by_kind_)
    if (ns > 0) calls_[{file.rank(), file.name_of(kind).name}] += ns;
  by_kind_.clear();
  outermost_ = {};
  pieces_ = nullptr;
}

void PathReader::tell(Analysis& to) const {
  for (const auto& [rank, share] : shares_) {
    to.path.push_back(share);
    const std::int64_t computed = share.ns[std::size_t(Activity::compute)];
    if (computed > 0) to.path_calls.push_back({rank, "", computed});
  }
  for (const auto& [key, ns] : calls_) to.path_calls.push_back({key.first, key.second, ns});
  keep_first(to.path_calls, kMostCalls, [](const PathCall& a, const PathCall& b) { return a.ns > b.ns; });
  to.path_pieces = all_;
  keep_first(to.path_pieces, kMostPieces,
             [](const PathPiece& a, const PathPiece& b) { return a.end_ns - a.begin_ns > b.end_ns - b.begin_ns; });
  std::sort(to.path_pieces.begin(), to.path_pieces.end(),
            [](const PathPiece& a, const PathPiece& b) { return a.begin_ns < b.begin_ns; });
}

}  // namespace polder::trace
