#include "group_exchange.hpp"

#include <utility>

namespace fft {

Result<std::unique_ptr<GroupExchange>> GroupExchange::create(const apps::Team& team, unsigned colour, unsigned key) {
  polder::Runtime& runtime = team.runtime();
  auto group = runtime.split(runtime.world(), colour, key, team.patience());
  if (!group.ok()) return team.named("split", group.status());
  Status status = team.named("commit", (*group)->commit(team.patience()));
  if (!status.ok()) return status;
  return std::unique_ptr<GroupExchange>(new GroupExchange(team, *std::move(group)));
}

Status GroupExchange::start(unsigned slot, const Complex* send, std::span<const polder::Part> sent, Complex* receive,
                            std::span<const polder::Part> received) {
  auto piece = polder::Collective::alltoallv(*group_, send, sent, receive, received);
  if (!piece.ok()) return piece.status();
  slots_[slot].emplace(*std::move(piece));
  return slots_[slot]->start();
}

// Where all memory is mapped nobody else drives it.
void GroupExchange::progress() {
  for (auto& piece : slots_)
    if (piece) piece->test();
}

Status GroupExchange::finish(unsigned slot) {
  Status status = team_.named("alltoall", slots_[slot]->wait(team_.patience()));
  slots_[slot].reset();
  return status;
}

}  // namespace fft
