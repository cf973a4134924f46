// Who is in the set after a death, and what they begin from: decided by all that live, members and spares, alike.
#include "ckpt/epoch_words.hpp"
#include "ckpt/set_state.hpp"

#include <polder/clock.hpp>
#include <polder/collective.hpp>

#include <algorithm>
#include <cstring>

namespace polder {
namespace {

// What a rank says of the last epoch that it knows of.
struct Word {
  std::uint64_t holds = 0;  // number of the formation of which it holds copies
  std::uint64_t knows = 0;  // ... of which it knows where they are, or were
  std::uint64_t parts = 0;  // of what it holds
  std::uint64_t epoch = 0;  // of what it knows; 0: nothing was committed
};

}  // namespace

// Until all that live have formed the same set, or cannot.
Status Member::State::form(bool somebody_died) {
  for (bool again = somebody_died;; again = true) {
    if (again)
      if (Status status = leave_out_the_dead(); !status.ok()) return status;
    const bool from_nothing = !any_member_in(living->ranks());
    const Result<std::vector<Rank>> next = next_members();
    if (!next.ok()) return next.status();
    Status mine = prepare(*next, from_nothing);
    Result<Agreement> agreed = living->agree(bits_of(mine), spec.patience);
    reached("form: prepared");
    // Not before all are ready: the death of a spare is none in the new group, whose members would wait for one that has heard of it.
    if (agreed.ok() && agreed->bits == kDone) {
      mine = formation ? formation->commit(ckpt::Deadline(rt, spec.patience)) : Status();
      reached("form: committed");
      agreed = living->agree(bits_of(mine), spec.patience);
    }
    reached("form: decided");
    if (!agreed.ok()) return agreed.status();
    if (says_failed(*agreed)) return error_of_all(mine);
    const bool lost = std::any_of(next->begin(), next->end(), [&](Rank rank) {
      return std::binary_search(agreed->failed.begin(), agreed->failed.end(), rank);
    });
    if (!says_again(*agreed) && !lost) {
      members = *next;
      ++number;
      if (!recoveries.empty()) recoveries.back().seconds = double(now_ns(rt) - heard_ns) * 1e-9;
      return {};
    }
    formation.reset();
    if (agreed->failed.empty()) return mine.ok() ? Status(Code::closed) : mine;
    if (recoveries.empty()) {  // before the work was called once
      recoveries.emplace_back();
      heard_ns = now_ns(rt);
    }
  }
}

Status Member::State::leave_out_the_dead() {
  auto smaller = living->shrink(spec.patience);
  reached("form: shrunk");
  if (!smaller.ok()) return std::move(smaller).status();
  const auto before = living->ranks(), now = (*smaller)->ranks();
  std::set_difference(before.begin(), before.end(), now.begin(), now.end(), std::back_inserter(recoveries.back().lost));
  living = *std::move(smaller);
  return {};
}

// Those that live keep their places; spares have those of the dead, the lowest first. The same at all that live.
Result<std::vector<Rank>> Member::State::next_members() const {
  const auto all = living->ranks();
  const auto lives = [&](Rank rank) { return std::binary_search(all.begin(), all.end(), rank); };
  std::vector<Rank> next = members, spares, dead;
  for (const Rank rank : all)
    if (std::find(members.begin(), members.end(), rank) == members.end()) spares.push_back(rank);
  std::string names;
  for (const Rank rank : members)
    if (!lives(rank)) names += (names.empty() ? "" : ", ") + std::to_string(rank);
  auto spare = spares.begin();
  for (Rank& rank : next)
    if (!lives(rank) && spare != spares.end()) rank = *spare++;
  std::erase_if(next, [&](Rank rank) { return !lives(rank); });
  if (next.empty() || next.size() < std::min<std::size_t>(least, members.size()))
    return Status(Code::peer_failed, "working set: of " + std::to_string(members.size()) + " members ranks " + names +
                                         " are gone, and no spare is left for each");
  if (!any_member_in(all) && !spec.anew)
    return Status(Code::peer_failed,
                  "working set: all members, ranks " + names + ", are gone, and what they had with them");
  return next;
}

Status Member::State::prepare(std::span<const Rank> next, bool from_nothing) {
  Status status = number == 0 ? Status() : tell(from_nothing);
  return status.ok() ? gather_members(next) : status;
}

// What all know of the last epoch: said by the first that holds copies of the newest.
Status Member::State::tell(bool from_nothing) {
  if (from_nothing) {
    known = {};
    known_number = 0;
    return {};
  }
  if (holding) {
    known = holding->checkpoint->state().saved();
    if (!holding->checkpoint->state().has_epoch()) known.epoch = 0;
    known_number = holding->number;
  }
  const Word mine = {holding ? holding->number : 0, known_number, holding ? known.ranks.size() : 0, known.epoch};
  const auto told = living->allgather(std::as_bytes(std::span(&mine, 1)), spec.patience);
  if (!told.ok()) return told.status();
  std::vector<Word> all(living->size());
  std::memcpy(all.data(), told->data(), told->size());
  reached("form: asked");
  const auto newest =
      std::max_element(all.begin(), all.end(), [](const Word& a, const Word& b) { return a.knows < b.knows; });
  const auto root = std::find_if(all.begin(), all.end(), [&](const Word& word) { return word.holds == newest->knows; });
  if (newest->knows == 0) return {};
  if (root == all.end() && newest->epoch == 0) {
    known = {};
    return {};
  }
  if (root == all.end())
    return Status(Code::peer_failed, "working set: of epoch " + std::to_string(newest->epoch) + " no part is left");
  std::vector<std::uint64_t> words(ckpt::words_of_epoch(std::min<std::uint64_t>(root->parts, rt.size())));
  if (holding && holding->number == newest->knows) words = ckpt::encode_epoch(known);
  known_number = newest->knows;
  return hear(words, Rank(root - all.begin()));
}

Status Member::State::hear(std::span<std::uint64_t> words, Rank root) {
  Status status = broadcast(*living, root, words.data(), words.size_bytes(), spec.patience);
  reached("form: told");
  if (status.timed_out()) living->lose_step();  // else others would write to these words when they are gone
  if (!status.ok()) return status;
  auto heard = ckpt::decode_epoch(words, rt.size());
  if (!heard.ok()) return std::move(heard).status();
  known = *std::move(heard);
  return {};
}

Status Member::State::gather_members(std::span<const Rank> next) {
  const auto mine = std::find(next.begin(), next.end(), rt.rank());
  const bool works = mine != next.end();
  auto group = rt.split(*living, works ? 0 : kNoColour, mine - next.begin(), spec.patience);
  reached("form: split");
  if (!group.ok()) return std::move(group).status();
  if (!works) return {};
  auto made = std::make_shared<Formation>(Formation{living, *std::move(group)});
  if (!spec.directory.empty()) {
    auto storing_group = rt.create_group(made->group->ranks());
    if (!storing_group.ok()) return std::move(storing_group).status();
    made->storing = *std::move(storing_group);
  }
  formation = std::move(made);
  return {};
}

Status Member::State::Formation::commit(const ckpt::Deadline& deadline) {
  Status status = group->commit(deadline);
  return status.ok() && storing ? storing->commit(deadline) : status;
}

}  // namespace polder
