#include "trace/analyse/waits.hpp"

#include "trace/analyse/chains.hpp"

#include <algorithm>

namespace polder::trace {

namespace {

constexpr std::size_t kMostEdges = 1 << 19, kMostKept = 3000;
constexpr std::uint64_t kMostSteps = 10'000'000;

// Others have next to nothing to do while one works.
constexpr std::int64_t kSerialShare = 10;

const char* state_name(EventKind kind) {
  switch (kind) {
    case EventKind::barrier: return "Wait at Barrier";
    case EventKind::broadcast:
    case EventKind::scatter: return "Late Broadcast";
    case EventKind::reduce:
    case EventKind::gather: return "Early Reduce";
    default: return "Wait at N x N";
  }
}

bool longer(const RankWait& a, const RankWait& b) {
  return a.end_ns - a.begin_ns > b.end_ns - b.begin_ns;
}

}  // namespace

void Waits::take(const Flow& flow) {
  if (flow.from == flow.to) return;
  const bool message = flow.what == Flow::What::message;
  if (flow.sent_ns > flow.awaited_ns) {
    const std::int64_t lost = std::min(flow.handed_ns, flow.received_ns) - flow.awaited_ns;
    to_.wait_states["Late Sender"] += std::max<std::int64_t>(lost, 0);
    keep({flow.to, flow.from, flow.awaited_ns, flow.received_ns, flow.sent_ns, flow.from,
          message ? Cause::late_sender : Cause::late_notification},
         lost);
  } else if (message && flow.handed_ns > flow.awaited_ns && flow.awaited_ns > flow.sent_ns) {
    const std::int64_t lost = flow.awaited_ns - flow.sent_ns;
    to_.wait_states["Late Receiver"] += lost;
    keep({flow.from, flow.to, flow.sent_ns, flow.handed_ns, flow.awaited_ns, flow.to, Cause::late_receiver}, lost);
  }
}

void Waits::take(std::span<const Attendance> members) {
  std::int64_t last = 0;
  for (const Attendance& member : members) last = std::max(last, member.begin_ns);
  ++met_;
  for (const Attendance& member : members) meetings_.push({last, met_, member});
}

// The work between this meeting and the one before was one member's.
bool Waits::is_serial(std::span<const Attendance> members, const Attendance& last) const {
  const auto worked = [&](const Attendance& member) {
    const auto left = left_.find({member.group, member.rank});
    return member.begin_ns - (left == left_.end() ? 0 : left->second);
  };
  const auto before = left_.find({last.group, last.rank});
  if (before == left_.end()) return false;  // what lies before the first meeting is the start
  const std::int64_t most = worked(last);
  return std::ranges::all_of(members, [&](const Attendance& member) {
    return member.rank == last.rank || worked(member) * kSerialShare <= most;
  });
}

void Waits::judge(std::span<const Attendance> members) {
  const Attendance& last = *std::max_element(
      members.begin(), members.end(), [](const Attendance& a, const Attendance& b) { return a.begin_ns < b.begin_ns; });
  const Cause cause = is_serial(members, last) ? Cause::serial_section : Cause::imbalance;
  for (const Attendance& member : members) {
    const std::int64_t lost = last.begin_ns - member.begin_ns;
    const bool had_left = member.end_ns <= last.begin_ns;  // a root that sends, say: it waited for nobody
    if (member.rank != last.rank && lost > 0 && !had_left) {
      to_.wait_states[state_name(member.kind)] += lost;
      keep({member.rank, last.rank, member.begin_ns, member.end_ns, last.begin_ns, last.rank, cause, member.kind},
           lost);
    }
  }
  for (const Attendance& member : members) left_[{member.group, member.rank}] = member.end_ns;
}

std::vector<PathPiece> Waits::finish() {
  std::vector<Attendance> members;
  std::uint64_t number = 0;
  const auto end = [&] {
    if (!members.empty()) judge(members);
    members.clear();
  };
  meetings_.for_each([&](const Meeting& meeting) {
    if (meeting.number != number) end();
    number = meeting.number;
    members.push_back(meeting.member);
  });
  end();
  name_roots(edges_);
  const std::vector<std::int64_t> left = book_.hand_on(edges_);
  for (std::size_t i = 0; i < edges_.size(); ++i) book_.add_root(edges_[i].cause, edges_[i].root, left[i]);
  std::vector<PathPiece> path = walk_back();
  keep_longest();
  return path;
}

// Of more than memory should hold, the short waits go.
void Waits::keep(const RankWait& wait, std::int64_t lost_ns) {
  book_.add(wait.cause, wait.rank, wait.from, call_of(wait), lost_ns, 1, {wait.rank, wait.begin_ns, wait.end_ns});
  edges_.push_back(wait);
  if (edges_.size() < 2 * kMostEdges) return;
  std::nth_element(edges_.begin(), edges_.begin() + kMostEdges, edges_.end(), longer);
  edges_.resize(kMostEdges);
}

void Waits::keep_longest() {
  const std::size_t kept = std::min(edges_.size(), kMostKept);
  std::partial_sort(edges_.begin(), edges_.begin() + std::ptrdiff_t(kept), edges_.end(), longer);
  to_.waits.assign(edges_.begin(), edges_.begin() + std::ptrdiff_t(kept));
}

// From the end of the job backwards: what a rank did last, until it had waited for somebody; what that one did, and so
// on (Böhme et al. 2012, "Scalable critical-path based performance analysis").
std::vector<PathPiece> Waits::walk_back() {
  std::sort(edges_.begin(), edges_.end(), [](const RankWait& a, const RankWait& b) {
    return a.rank != b.rank ? a.rank < b.rank : a.end_ns < b.end_ns;
  });
  if (to_.profiles.empty()) return {};
  std::vector<PathPiece> path;
  Rank rank = std::max_element(to_.profiles.begin(), to_.profiles.end(), [](const auto& a, const auto& b) {
                return a.useful_ns < b.useful_ns;
              })->rank;
  std::int64_t now = to_.duration_ns;
  for (std::uint64_t step = 0; step < kMostSteps; ++step) {
    const auto after =
        std::upper_bound(edges_.begin(), edges_.end(), std::pair(rank, now), [](const auto& at, const RankWait& edge) {
          return at.first != edge.rank ? at.first < edge.rank : at.second < edge.end_ns;
        });
    if (after == edges_.begin() || std::prev(after)->rank != rank || std::prev(after)->from_ns >= now) break;
    const RankWait& edge = *std::prev(after);
    if (now > edge.end_ns) path.push_back({rank, edge.end_ns, now});
    to_.path_transfer_ns += std::max<std::int64_t>(edge.end_ns - std::max(edge.from_ns, edge.begin_ns), 0);
    rank = edge.from;
    now = edge.from_ns;
  }
  if (now > 0) path.push_back({rank, 0, now});
  std::reverse(path.begin(), path.end());
  return path;
}

}  // namespace polder::trace
