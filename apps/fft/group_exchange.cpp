#include "group_exchange.hpp"

#include <utility>

namespace fft {
namespace {

// Numbers of flags.
constexpr unsigned kOpened = 0;

constexpr unsigned of_piece(unsigned piece) {
  return piece + 1;
}

}  // namespace

GroupExchange::GroupExchange(const apps::Team& team, std::unique_ptr<polder::Group> group)
    : team_(team), group_(std::move(group)) {
  for (const polder::Rank rank : group_->ranks())
    if (rank != group_->absolute(group_->index())) others_.push_back(rank);
}

Result<std::unique_ptr<GroupExchange>> GroupExchange::create(const apps::Team& team, unsigned colour, unsigned key) {
  polder::Runtime& runtime = team.runtime();
  auto group = runtime.split(runtime.world(), colour, key, team.patience());
  if (!group.ok()) return team.named("split", group.status());
  Status status = team.named("commit", (*group)->commit(team.patience()));
  if (!status.ok()) return status;
  return std::unique_ptr<GroupExchange>(new GroupExchange(team, *std::move(group)));
}

Result<Complex*> GroupExchange::prepare(const Route& route) {
  auto made = team_.runtime().allocate(
      *group_,
      {.size = route.room_for_what_comes() * sizeof(Complex), .notifications = flags(of_piece(route.pieces()))},
      team_.patience());
  if (!made.ok()) return team_.named("allocate", made.status());
  memory_ = *std::move(made);
  // What goes to memory that this rank can store to is copied when it is put.
  takes_at_once_ = true;
  for (const polder::Rank rank : others_) {
    const auto theirs = team_.runtime().remote_segment(rank, memory_->id(), team_.patience());
    if (!theirs.ok()) return team_.named("exchange", theirs.status());
    takes_at_once_ = takes_at_once_ && theirs->direct != nullptr;
  }
  return reinterpret_cast<Complex*>(memory_->segment().data);
}

Status GroupExchange::open() {
  is_open_ = false;
  return tell_others(kOpened);
}

Status GroupExchange::put(unsigned member, const Complex* plane, const Rows& rows) {
  if (Status status = all_opened(); !status.ok()) return status;
  const std::size_t counts[] = {rows.count};
  const std::ptrdiff_t from[] = {std::ptrdiff_t(rows.from_pitch * sizeof(Complex))};
  const std::ptrdiff_t to[] = {std::ptrdiff_t(rows.to_pitch * sizeof(Complex))};
  if (rows.elements() == 0) return {};
  const polder::Strided shape{rows.length * sizeof(Complex), counts, from, to};
  return team_.named(
      "put", team_.runtime().put(plane + rows.from, memory_->at(group_->absolute(member), rows.to * sizeof(Complex)),
                                 shape, team_.patience()));
}

// Also of a piece without rows: a flag of the next round must not be raised before that of this one is taken down.
Status GroupExchange::send(unsigned piece) {
  Status status = all_opened();
  return status.ok() ? tell_others(of_piece(piece)) : status;
}

Status GroupExchange::all_opened() {
  Status status = is_open_ ? Status() : hear_others(kOpened);
  is_open_ = status.ok();
  return status;
}

Result<bool> GroupExchange::has_come(unsigned piece) {
  const auto seen = team_.runtime().wait_several(memory_->id(), flags(of_piece(piece)), size(),
                                                 polder::NotificationId(others_.size()), polder::Timeout::test());
  if (seen.status().timed_out()) return false;
  if (!seen.ok()) return team_.named("exchange", seen.status());
  return true;
}

Status GroupExchange::await(unsigned piece) {
  return hear_others(of_piece(piece));
}

Status GroupExchange::close() {
  return team_.named("exchange", team_.runtime().wait_all(polder::Completion::local, team_.patience()));
}

Status GroupExchange::tell_others(unsigned number) {
  for (const polder::Rank rank : others_) {
    Status status = team_.runtime().notify(rank, memory_->id(), {.id = flags(number) + index()}, team_.patience());
    if (!status.ok()) return team_.named("exchange", status);
  }
  return {};
}

// Who has raised its flag may have ended meanwhile, in good order.
Status GroupExchange::hear_others(unsigned number) {
  std::vector<polder::Rank> missing = others_;
  while (!missing.empty()) {
    const auto seen =
        team_.runtime().wait_several(memory_->id(), flags(number), size(), polder::NotificationId(missing.size()),
                                     team_.patience(), {.ranks = missing});
    if (!seen.ok() && seen.status().code() != Code::peer_failed) return team_.named("exchange", seen.status());
    const std::size_t before = missing.size();
    Status status = take_raised(number, missing);
    if (!status.ok()) return status;
    if (missing.size() == before) return team_.named("exchange", seen.status());
  }
  return {};
}

Status GroupExchange::take_raised(unsigned number, std::vector<polder::Rank>& ranks) {
  Status status;
  std::erase_if(ranks, [&](polder::Rank rank) {
    const auto raised = team_.runtime().reset(memory_->id(), flags(number) + *group_->relative(rank));
    if (!raised.ok()) status = team_.named("exchange", raised.status());
    return raised.ok() && *raised != 0;
  });
  return status;
}

}  // namespace fft
