// Agreement without a runtime: members that are run in any order, see each other late, and die between any two steps.
#include "coll/agreement/agree.hpp"
#include "util/random.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace polder::coll {
namespace {

class World;

// A member's own view of the others: news of opinions and deaths come to it when chance has it.
class View final : public Panel {
 public:
  View(World& world, Rank me) : world_(world), me_(me) {}
  void show(const Opinion& own) override;
  void wake(Rank) override {}
  Look look(Rank member, Opinion& opinion) override;
  bool has_failed(Rank member) override;
  Rank me() const { return me_; }

 private:
  World& world_;
  const Rank me_;
};

struct Member {
  explicit Member(World& world, Rank me, Rank size) : view(world, me), talk(strand, view, me, size, 1000 - me) {}
  Frames frames;
  Strand strand{frames};
  View view;
  Talk talk;
  std::vector<Opinion> shown;
  std::vector<std::size_t> seen;  // by member: how much of what it has shown has come here
  std::vector<bool> mourned;      // by member: this one knows that it is dead
  std::vector<Decision> decided;
  std::uint64_t bits = 0;
  bool dead = false, deleted = false, given_up = false;
};

struct Faults {
  Rank deaths = 0;
  bool deletions = false;  // members delete the group once they are through
  Rank false_alarms = 0;   // members that live, and are said to be dead
};

class World {
 public:
  World(Rank size, unsigned rounds, Faults faults, std::uint64_t seed)
      : random(seed), rounds_(rounds), faults_(faults) {
    for (Rank me = 0; me < size; ++me) {
      members.push_back(std::make_unique<Member>(*this, me, size));
      members[me]->seen.resize(size);
      members[me]->mourned.resize(size);
    }
    for (Rank me = 0; me < size; ++me) begin(me);
  }

  // Runs until all that live are through. False: they never are.
  bool run() {
    const std::size_t steps = 200 + std::size_t{members.size()} * members.size() * 60 * rounds_;
    const auto fault_at = [&] { return random.below(members.size() * 14 * rounds_ + 1); };
    std::vector<std::size_t> deaths(faults_.deaths), alarms(faults_.false_alarms);
    for (auto& at : deaths) at = fault_at();
    for (auto& at : alarms) at = fault_at();
    for (std::size_t step = 0; step < steps; ++step) {
      for (const std::size_t at : deaths)
        if (at == step) kill(Rank(random.below(members.size())));
      for (const std::size_t at : alarms)
        if (at == step) accuse(Rank(random.below(members.size())));
      advance(Rank(random.below(members.size())));
      if (all_through()) return true;
    }
    return false;
  }

  // Members that are neither dead nor given up.
  std::vector<Member*> living() {
    std::vector<Member*> all;
    for (auto& member : members)
      if (!member->dead && !member->given_up) all.push_back(member.get());
    return all;
  }

  util::Random random;
  std::vector<std::unique_ptr<Member>> members;
  std::vector<std::uint64_t> words;  // of the opinion that is looked at

 private:
  void begin(Rank me) {
    Member& member = *members[me];
    member.bits = ~(random.below(3) == 0 ? std::uint64_t{1} << random.below(64) : 0);
    member.talk.begin(member.bits);
    member.strand.begin(agree(member.talk));
  }

  void advance(Rank me) {
    Member& member = *members[me];
    if (member.dead || member.given_up || member.decided.size() == rounds_) return;
    // Of an accusation the accused hears as well, sooner or later.
    if (accused(me) && random.below(8) == 0) return void(member.given_up = true);
    if (!member.strand.advance()) return;
    if (member.talk.is_left_behind() || member.talk.decision().failed.has(me)) return void(member.given_up = true);
    member.decided.push_back(member.talk.decision());
    if (member.decided.size() < rounds_) return begin(me);
    if (faults_.deletions && random.below(2) == 0) member.deleted = true;
  }

  void kill(Rank who) {
    if (living().size() > 1) members[who]->dead = true;
  }
  void accuse(Rank who) {
    if (living().size() > 1 && !members[who]->dead) accused_.push_back(who);
  }
  bool all_through() {
    for (Member* member : living())
      if (member->decided.size() < rounds_) return false;
    return true;
  }

 public:
  bool accused(Rank who) const { return std::find(accused_.begin(), accused_.end(), who) != accused_.end(); }

 private:
  const unsigned rounds_;
  const Faults faults_;
  std::vector<Rank> accused_;
};

void View::show(const Opinion& own) {
  world_.members[me_]->shown.push_back(own);
}

Panel::Look View::look(Rank member, Opinion& opinion) {
  Member& there = *world_.members[member];
  std::size_t& seen = world_.members[me_]->seen[member];
  if (there.deleted && world_.random.below(2) == 0) return Look::gone;
  while (seen < there.shown.size() && world_.random.below(3) != 0) ++seen;
  if (seen == 0) return Look::unseen;
  // As it travels.
  const auto size = Rank(world_.members.size());
  world_.words.resize(Opinion::words(size));
  there.shown[seen - 1].encode(world_.words);
  EXPECT_TRUE(opinion.decode(world_.words, size));
  EXPECT_EQ(opinion, there.shown[seen - 1]);
  return Look::seen;
}

bool View::has_failed(Rank member) {
  const Member& there = *world_.members[member];
  auto mourned = world_.members[me_]->mourned[member];
  if (!mourned && (there.dead || there.given_up || world_.accused(member)) && world_.random.below(6) == 0)
    mourned = true;
  return mourned;
}

std::string text(const Decision& decision, Rank size) {
  std::string text = std::to_string(decision.bits) + " without";
  for (Rank member = 0; member < size; ++member)
    if (decision.failed.has(member)) text += " " + std::to_string(member);
  return text;
}

// All that live have the same decisions, and what was decided is what those have set who took part. Whoever was accused
// may be through before it hears of that.
void check(World& world, unsigned rounds, std::uint64_t seed) {
  auto living = world.living();
  std::erase_if(living, [&](Member* member) { return world.accused(member->view.me()); });
  if (living.empty()) return;
  const auto size = Rank(world.members.size());
  for (unsigned round = 0; round < rounds; ++round)
    for (Member* member : living)
      ASSERT_EQ(text(member->decided[round], size), text(living[0]->decided[round], size)) << "seed " << seed;
  const Decision& last = living[0]->decided.back();
  for (Member* member : living)
    ASSERT_EQ(last.bits & ~member->bits, 0u) << "seed " << seed << ": a vote was not counted";
}

void try_seeds(unsigned rounds, Faults faults, std::uint64_t seeds) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    util::Random random(seed);
    const auto size = Rank(1 + random.below(12));
    faults.deaths = std::min(faults.deaths, size - 1);
    World world(size, rounds, {Rank(random.below(faults.deaths + 1)), faults.deletions, faults.false_alarms}, seed);
    ASSERT_TRUE(world.run()) << "seed " << seed << ": " << size << " members do not come to an end";
    check(world, rounds, seed);
  }
}

TEST(Agreement, OfAllThatLive) {
  try_seeds(2, {}, 500);
}
TEST(Agreement, WhateverDies) {
  try_seeds(1, {.deaths = 11}, 3000);
}
TEST(Agreement, SeveralInARow) {
  try_seeds(4, {.deaths = 11}, 1000);
}
TEST(Agreement, WithMembersThatAreThroughAndGone) {
  try_seeds(2, {.deaths = 8, .deletions = true}, 2000);
}
TEST(Agreement, WithFalseAlarms) {
  try_seeds(2, {.deaths = 3, .deletions = true, .false_alarms = 2}, 3000);
}

// Each member dies at each of its own steps, the others seeing all at once.
TEST(Agreement, ADeathAtEveryStep) {
  constexpr Rank kSize = 7;
  for (Rank victim = 0; victim < kSize; ++victim)
    for (std::size_t after = 0; after < 60; ++after) {
      World world(kSize, 1, {}, 1 + after);
      std::size_t steps = 0;
      for (std::size_t round = 0; round < 400; ++round)
        for (Rank me = 0; me < kSize; ++me) {
          Member& member = *world.members[me];
          if (me == victim && steps++ == after) member.dead = true;
          if (member.dead || !member.decided.empty()) continue;
          if (member.strand.advance()) member.decided.push_back(member.talk.decision());
        }
      for (Member* member : world.living()) ASSERT_EQ(member->decided.size(), 1u) << victim << " after " << after;
      check(world, 1, after);
    }
}

// Lone members need nobody.
TEST(Agreement, OfOneIsItsOwn) {
  World world(1, 1, {}, 1);
  ASSERT_TRUE(world.run());
  EXPECT_EQ(world.members[0]->decided[0].bits, world.members[0]->bits);
}

// 4 (P - 1) opinions at most, and in truth a leaf shows two of its stages at once.
TEST(Agreement, CostsWhatItSays) {
  for (const Rank size : {2u, 7u, 64u, 1000u}) {
    World world(size, 1, {}, 3);
    while (!std::all_of(world.members.begin(), world.members.end(), [](auto& m) { return !m->decided.empty(); }))
      for (auto& member : world.members)
        if (member->decided.empty() && member->strand.advance()) member->decided.push_back(member->talk.decision());
    std::size_t shown = 0;
    for (auto& member : world.members) shown += member->shown.size();
    EXPECT_LE(shown, 4u * (size - 1) + 2) << size;
  }
}

// What no member says is not taken for an opinion: members that do not exist would be looked up.
TEST(Agreement, AnOpinionNamesMembersOnly) {
  constexpr Rank kSize = 5;
  Opinion sound = Opinion::of(kSize);
  sound.number = 3;
  sound.ballot = 2;
  sound.stage = Stage::contributed;
  sound.value.bits = 6;
  sound.value.dissenter = 4;
  sound.previous.bits = ~std::uint64_t{0};
  std::vector<std::uint64_t> words(Opinion::words(kSize));
  sound.encode(words);
  const auto with = [&](std::size_t place, std::uint64_t word, const Opinion& before) {
    std::vector<std::uint64_t> changed = words;
    changed[place] = word;
    Opinion opinion = before;
    const bool taken = opinion.decode(changed, kSize);
    EXPECT_TRUE(taken || opinion == before) << "word " << place;
    return taken;
  };
  const Opinion before = Opinion::of(kSize);
  EXPECT_TRUE(with(0, 3, before));
  EXPECT_FALSE(with(1, kSize, before));                   // the leader of the ballot
  EXPECT_FALSE(with(1, std::uint64_t{1} << 32, before));  // which is 0 in 32 bits
  EXPECT_FALSE(with(2, 5, before));                       // the stage
  EXPECT_FALSE(with(3, kSize, before));                   // the ballot of the value
  EXPECT_FALSE(with(5, kSize, before));                   // the dissenter
  EXPECT_FALSE(with(5, kNoMember, before));               // nobody, though not all bits are set
  EXPECT_FALSE(with(7, 1, before));                       // likewise, of the agreement before
  EXPECT_FALSE(with(8, std::uint64_t{kNoMember} + 1, before));
}

}  // namespace
}  // namespace polder::coll
