// Ranks that others started make a job of themselves.

#include "bootstrap/gathered/gathered.hpp"

#include "processes.hpp"

#include <string>

namespace polder::bootstrap::gathered {
namespace {

using namespace std::chrono_literals;

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

std::string text_of(const Result<std::vector<std::byte>>& value) {
  if (!value.ok()) return value.status().to_string();
  return {reinterpret_cast<const char*>(value->data()), value->size()};
}

TEST(GatheredTest, RanksAgreeAndSeeWhatOthersPublish) {
  for (const Rank size : {1u, 2u, 5u}) {
    Processes ranks(size, [](Surroundings& with) {
      const auto made = create(with.exchange);
      if (!made.ok()) return complain(made.status().to_string().c_str());
      Bootstrap& me = **made;
      const Job& job = me.job();
      POLDER_EXPECT_IN_CHILD(job.rank == with.exchange.rank && job.size == with.exchange.size);
      POLDER_EXPECT_IN_CHILD(job.local_rank == job.rank && job.local_size == job.size);
      POLDER_EXPECT_IN_CHILD(job.cores >= 1 && !job.host.empty() && me.same_node(job.size - 1));
      POLDER_EXPECT_IN_CHILD(me.publish("name", bytes_of("rank " + std::to_string(job.rank))).ok());
      POLDER_EXPECT_IN_CHILD(me.publish("id", std::as_bytes(std::span(&job.id, 1))).ok());
      POLDER_EXPECT_IN_CHILD(me.share_records().ok());
      for (Rank rank = 0; rank < job.size; ++rank) {
        POLDER_EXPECT_IN_CHILD(text_of(me.lookup(rank, "name", 60s)) == "rank " + std::to_string(rank));
        const auto id = me.lookup(rank, "id", 60s);
        POLDER_EXPECT_IN_CHILD(id.ok() && std::memcmp(id->data(), &job.id, sizeof job.id) == 0);
        POLDER_EXPECT_IN_CHILD(me.health(rank) == Health::healthy);
      }
      with.board.barrier();
      me.finish();
      return 0;
    });
    ranks.expect_all_exit(0);
  }
}

TEST(GatheredTest, AJobMayFollowAnother) {
  Processes ranks(3, [](Surroundings& with) {
    std::uint64_t last = 0;
    for (int round = 0; round < 3; ++round) {
      const auto made = create(with.exchange);
      POLDER_EXPECT_IN_CHILD(made.ok() && (*made)->job().id != last);
      last = (*made)->job().id;
      POLDER_EXPECT_IN_CHILD((*made)->publish("again", bytes_of("yes")).ok());
      (*made)->finish();
    }
    return 0;
  });
  ranks.expect_all_exit(0);
}

TEST(GatheredTest, TwoJobsOfTheSameProcessesDoNotSeeEachOther) {
  Processes ranks(2, [](Surroundings& with) {
    const auto one = create(with.exchange), other = create(with.exchange);
    POLDER_EXPECT_IN_CHILD(one.ok() && other.ok() && (*one)->job().id != (*other)->job().id);
    POLDER_EXPECT_IN_CHILD((*one)->publish("key", bytes_of("one")).ok());
    POLDER_EXPECT_IN_CHILD((*other)->publish("key", bytes_of("other")).ok());
    POLDER_EXPECT_IN_CHILD(text_of((*one)->lookup(1 - with.exchange.rank, "key", 60s)) == "one");
    POLDER_EXPECT_IN_CHILD(text_of((*other)->lookup(1 - with.exchange.rank, "key", 60s)) == "other");
    with.board.barrier();
    return 0;
  });
  ranks.expect_all_exit(0);
}

TEST(GatheredTest, ImpossibleExchangesAreRefusedBeforeTheyAreUsed) {
  const auto untouched = [](auto, auto) -> Status { std::abort(); };
  EXPECT_EQ(create({.rank = 0, .size = 0, .allgather = untouched}).status().code(), Code::invalid_argument);
  EXPECT_EQ(create({.rank = 0, .size = 65536, .allgather = untouched}).status().code(), Code::invalid_argument);
  EXPECT_EQ(create({.rank = 2, .size = 2, .allgather = untouched}).status().code(), Code::invalid_rank);
  EXPECT_EQ(create({.rank = 0, .size = 1, .allgather = nullptr}).status().code(), Code::invalid_argument);
}

TEST(GatheredTest, AnExchangeThatFailsEndsTheStart) {
  const auto made =
      create({.rank = 0, .size = 2, .allgather = [](auto, auto) { return Status(Code::system, "the wire is cut"); }});
  EXPECT_EQ(made.status().code(), Code::system);
  EXPECT_EQ(made.status().message(), "the wire is cut");
}

TEST(GatheredTest, RanksThatDisagreeAllSaySo) {
  Processes ranks(3, [](Surroundings& with) {
    Exchange exchange = with.exchange;
    if (exchange.rank == 2) exchange.rank = 1;  // the allgather still puts it third
    const auto made = create(exchange);
    POLDER_EXPECT_IN_CHILD(made.status().code() == Code::invalid_argument);
    POLDER_EXPECT_IN_CHILD(made.status().message() == "rank 2 is not of this job: it calls itself rank 1");
    return 0;
  });
  ranks.expect_all_exit(0);
}

}  // namespace
}  // namespace polder::bootstrap::gathered
