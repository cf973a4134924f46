// Ranks on several nodes, which are one machine under several names here.

#include "bootstrap/gathered/gathered.hpp"

#include "bootstrap/gathered/introduction.hpp"
#include "processes.hpp"

#include <string>

namespace polder::bootstrap::gathered {
namespace {

using namespace std::chrono_literals;

// Ranks 2k and 2k+1 live on host k.
Exchange in_pairs(const Exchange& exchange) {
  Exchange moved = exchange;
  moved.allgather = [exchange](std::span<const std::byte> mine, std::span<std::byte> all) {
    if (Status status = exchange.allgather(mine, all); !status.ok() || mine.size() != sizeof(Introduction))
      return status;
    auto* introductions = reinterpret_cast<Introduction*>(all.data());
    for (Rank rank = 0; rank < exchange.size; ++rank) introductions[rank].node.host[0] = char('a' + rank / 2);
    return Status();
  };
  return moved;
}

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

std::string text_of(const Result<std::vector<std::byte>>& value) {
  if (!value.ok()) return value.status().to_string();
  return {reinterpret_cast<const char*>(value->data()), value->size()};
}

TEST(GatheredNodesTest, RanksKnowTheirNeighbours) {
  Processes ranks(5, [](Surroundings& with) {
    const auto made = create(in_pairs(with.exchange));
    POLDER_EXPECT_IN_CHILD(made.ok());
    const Job& job = (*made)->job();
    POLDER_EXPECT_IN_CHILD(job.size == 5 && job.local_rank == job.rank % 2);
    POLDER_EXPECT_IN_CHILD(job.local_size == (job.rank == 4 ? 1 : 2));
    POLDER_EXPECT_IN_CHILD(job.node == job.rank / 2);
    for (Rank rank = 0; rank < 5; ++rank)
      POLDER_EXPECT_IN_CHILD((*made)->same_node(rank) == (rank / 2 == job.rank / 2));
    POLDER_EXPECT_IN_CHILD(!(*made)->same_node(5));
    POLDER_EXPECT_IN_CHILD((*made)->share_records().ok());
    return 0;
  });
  ranks.expect_all_exit(0);
}

TEST(GatheredNodesTest, RecordsTravelOnceBetweenNodes) {
  Processes ranks(4, [](Surroundings& with) {
    const auto made = create(in_pairs(with.exchange));
    POLDER_EXPECT_IN_CHILD(made.ok());
    Bootstrap& me = **made;
    const Rank rank = me.job().rank;
    const std::string text(rank * 1000, char('0' + rank));  // each of another length, one empty
    POLDER_EXPECT_IN_CHILD(me.publish("early", bytes_of(text)).ok());
    POLDER_EXPECT_IN_CHILD(me.publish("early", {}).code() == Code::exists);
    POLDER_EXPECT_IN_CHILD(me.share_records().ok());
    POLDER_EXPECT_IN_CHILD(me.publish("late", bytes_of("x")).ok());
    with.board.barrier();
    for (Rank owner = 0; owner < 4; ++owner) {
      POLDER_EXPECT_IN_CHILD(text_of(me.lookup(owner, "early", 60s)) == std::string(owner * 1000, char('0' + owner)));
      const auto late = me.lookup(owner, "late", 60s);
      POLDER_EXPECT_IN_CHILD(me.same_node(owner) ? late.ok() : late.status().code() == Code::unsupported);
    }
    return 0;
  });
  ranks.expect_all_exit(0);
}

TEST(GatheredNodesTest, WhatCannotReachOtherNodesSaysSo) {
  Processes ranks(4, [](Surroundings& with) {
    const auto made = create(in_pairs(with.exchange));
    POLDER_EXPECT_IN_CHILD(made.ok() && (*made)->share_records().ok());
    Bootstrap& me = **made;
    const Rank far = (me.job().rank + 2) % 4;
    POLDER_EXPECT_IN_CHILD(me.kill(far).code() == Code::unsupported);
    POLDER_EXPECT_IN_CHILD(me.health(far) == Health::healthy);
    me.report_failure(far);
    POLDER_EXPECT_IN_CHILD(me.health(far) == Health::failed);
    POLDER_EXPECT_IN_CHILD(me.lookup(far, "early", 60s).status().code() == Code::peer_failed);
    POLDER_EXPECT_IN_CHILD(me.kill(far).code() == Code::peer_failed);
    with.board.barrier();
    return 0;
  });
  ranks.expect_all_exit(0);
}

TEST(GatheredNodesTest, DeathIsNoticedOnTheOwnNode) {
  Processes ranks(4, [](Surroundings& with) {
    const auto made = create(in_pairs(with.exchange));
    POLDER_EXPECT_IN_CHILD(made.ok() && (*made)->share_records().ok());
    with.board.barrier();
    if (with.exchange.rank == 3) return 0;
    if (with.exchange.rank == 2)
      POLDER_EXPECT_IN_CHILD(comes_true([&] { return (*made)->health(3) == Health::failed; }));
    return 0;
  });
  ranks.expect_all_exit(0);
}

// A rank whose device, say, cannot be made must not leave the others in an allgather.
TEST(GatheredNodesTest, WhoFailsBeforeItHasSharedTellsTheOthers) {
  Processes ranks(3, [](Surroundings& with) {
    auto made = create(in_pairs(with.exchange));
    POLDER_EXPECT_IN_CHILD(made.ok());
    if (with.exchange.rank == 1) {
      made->reset();
      return 0;
    }
    const Status status = (*made)->share_records();
    POLDER_EXPECT_IN_CHILD(status.code() == Code::peer_failed);
    POLDER_EXPECT_IN_CHILD(status.message() == "start of rank 1: the runtime could not be made there");
    return 0;
  });
  ranks.expect_all_exit(0);
}

}  // namespace
}  // namespace polder::bootstrap::gathered
