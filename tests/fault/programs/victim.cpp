// victim PLACE SEED: a rank of a job in which one rank, drawn by SEED, is killed at a random moment while all are at
// work at PLACE. The others must notice, and then go on without it. Each prints one line; the exit code is 0 if that is
// all well.
#include <polder/neighbours.hpp>
#include <polder/runtime.hpp>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

namespace {

using namespace std::chrono_literals;
using namespace polder;

constexpr Timeout kPatience = 20s;  // after this an operation must have ended, one way or another
constexpr auto kWorkday = 40s;      // after this the death must have been noticed
constexpr std::size_t kBlock = 3000;

// One turn of work. An error ends the work.
using Work = Status (*)(Runtime&, std::uint32_t turn);

Rank any_peer(const Runtime& rt, std::uint32_t turn) {
  return (rt.rank() + turn) % rt.size();
}

Status put_stream(Runtime& rt, std::uint32_t turn) {
  static const std::vector<std::byte> block(kBlock);
  const Rank peer = any_peer(rt, turn);
  return rt.put_notify(block.data(), {peer, 0, rt.rank() * kBlock}, kBlock, {.id = rt.rank()}, kPatience);
}

Status barrier(Runtime& rt, std::uint32_t) {
  return rt.world().barrier(kPatience);
}

Status accumulate(Runtime& rt, std::uint32_t turn) {
  static const std::vector<double> ones(4000, 1.0);
  return rt.accumulate({}, ones.data(), {any_peer(rt, turn), 0, 0}, ones.size() * sizeof(double), kPatience);
}

Status messages(Runtime& rt, std::uint32_t turn) {
  static const std::vector<std::byte> letter(1000);
  return rt.send(any_peer(rt, turn), 1, letter, kPatience);
}

Status segments(Runtime& rt, std::uint32_t turn) {
  auto segment = rt.create_segment({.size = 5000, .id = 1 + turn % 2, .notifications = 100}, rt.world(), kPatience);
  if (!segment.ok()) return std::move(segment).status();
  const std::uint64_t value = turn;
  if (Status status = rt.put(&value, {any_peer(rt, turn), segment->id, 0}, sizeof value, kPatience); !status.ok())
    return status;
  if (Status status = rt.world().barrier(kPatience); !status.ok()) return status;
  return rt.delete_segment(segment->id);
}

Status groups(Runtime& rt, std::uint32_t) {
  auto group = rt.create_group(0, rt.size());
  if (!group.ok()) return std::move(group).status();
  if (Status status = (*group)->commit(kPatience); !status.ok()) return status;
  return (*group)->barrier(kPatience);
}

bool has_lost_one(const Runtime& rt) {
  for (Rank rank = 0; rank < rt.size(); ++rank)
    if (rt.health(rank) == Health::failed) return true;
  return false;
}

// A token goes round; a rank that gets none for a while looks after the others.
Status waiting(Runtime& rt, std::uint32_t turn) {
  const Rank next = (rt.rank() + 1) % rt.size();
  if (turn == 0 && rt.rank() == 0) return rt.notify(next, 0, {.id = 100});
  auto found = rt.wait_some(0, 100, 1, 100ms);
  if (found.ok()) {
    auto value = rt.reset(0, 100);
    return value.ok() ? rt.notify(next, 0, {.id = 100}) : std::move(value).status();
  }
  if (!found.status().timed_out()) return std::move(found).status();
  return has_lost_one(rt) ? Status(Code::peer_failed) : Status();
}

// Each rank has for each other one a block that tells of whom and of which turn it is.
class Blocks {
 public:
  static constexpr std::size_t kBytes = 100'000;  // long enough for others to read them where they lie

  explicit Blocks(const Runtime& rt) : ranks_(rt.size()), send_(ranks_ * kWords), receive_(ranks_ * kWords) {}
  void fill(Rank rank, std::uint32_t turn) { std::fill(send_.begin(), send_.end(), mark(rank, turn)); }
  const void* send() const { return send_.data(); }
  void* receive() { return receive_.data(); }
  Status check(Rank rank, std::uint32_t turn) const {
    for (Rank from = 0; from < ranks_; ++from)
      if (from != rank)
        if (Status status = check_from(from, turn); !status.ok()) return status;
    return {};
  }
  Status check_from(Rank from, std::uint32_t turn) const {
    for (std::size_t i = 0; i < kWords; ++i)
      if (receive_[from * kWords + i] != mark(from, turn))
        return {Code::system, "the block of rank " + std::to_string(from) + " is not what it sent"};
    return {};
  }

 private:
  static constexpr std::size_t kWords = kBytes / 8;
  static std::uint64_t mark(Rank rank, std::uint32_t turn) { return std::uint64_t{turn} << 32 | rank; }
  const Rank ranks_;
  std::vector<std::uint64_t> send_, receive_;
};

Status alltoall(Runtime& rt, std::uint32_t turn) {
  static Blocks blocks(rt);
  blocks.fill(rt.rank(), turn);
  if (Status status = polder::alltoall(rt.world(), Blocks::kBytes, blocks.send(), blocks.receive(), kPatience);
      !status.ok())
    return status;
  return blocks.check(rt.rank(), turn);
}

// Each in turn has a block for each.
Status scatter(Runtime& rt, std::uint32_t turn) {
  static Blocks blocks(rt);
  static const std::vector<std::size_t> parts(rt.size(), Blocks::kBytes);
  const Rank root = turn % rt.size();
  blocks.fill(rt.rank(), turn);
  std::byte* const mine = static_cast<std::byte*>(blocks.receive()) + root * Blocks::kBytes;
  if (Status status = polder::scatter(rt.world(), root, parts, blocks.send(), mine, kPatience); !status.ok())
    return status;
  return blocks.check_from(root, turn);
}

// All have a block for each in turn.
Status gather(Runtime& rt, std::uint32_t turn) {
  static Blocks blocks(rt);
  static const std::vector<std::size_t> parts(rt.size(), Blocks::kBytes);
  const Rank root = turn % rt.size();
  blocks.fill(rt.rank(), turn);
  if (Status status = polder::gather(rt.world(), root, parts, blocks.send(), blocks.receive(), kPatience); !status.ok())
    return status;
  return root == rt.rank() ? blocks.check(root, turn) : Status();
}

// In place, so that a rank reads of the other one what that is about to write.
Status allreduce(Runtime& rt, std::uint32_t turn) {
  static std::vector<std::uint64_t> vector(100'000);
  std::fill(vector.begin(), vector.end(), std::uint64_t{turn} * rt.size() + rt.rank());
  if (Status status = polder::allreduce(rt.world(), Reduction::sum, DataType::uint64, vector.data(), vector.data(),
                                        vector.size(), kPatience);
      !status.ok())
    return status;
  const std::uint64_t ranks = rt.size(), all = ranks * ranks * turn + ranks * (ranks - 1) / 2;
  const auto is_right = [all](std::uint64_t value) { return value == all; };
  return std::all_of(vector.begin(), vector.end(), is_right) ? Status() : Status(Code::system, "a sum is wrong");
}

// Each is a neighbour of each. Who has had the last letter of the dead is a turn ahead, and waits for those who have not, and who do
// not come any more.
Status neighbours(Runtime& rt, std::uint32_t turn) {
  static Blocks blocks(rt);
  static std::optional<Neighbours> all;
  if (!all) {
    std::vector<Rank> others;
    for (Rank rank = 0; rank < rt.size(); ++rank) others.push_back(rank == rt.rank() ? kNobody : rank);
    auto made = Neighbours::graph(rt.world(), others, others);
    if (!made.ok()) return std::move(made).status();
    all = *std::move(made);
    if (Status status = all->commit(kPatience); !status.ok()) return status;
  }
  blocks.fill(rt.rank(), turn);
  Status status;
  do status = neighbour_alltoall(*all, Blocks::kBytes, blocks.send(), blocks.receive(), 100ms);
  while (status.timed_out() && !has_lost_one(rt));
  if (status.ok()) status = blocks.check(rt.rank(), turn);
  if (!status.ok()) all.reset();  // before its group
  return status;
}

// There is no work after the start: the next barrier is as far as anyone gets.
const std::map<std::string, Work> kPlaces = {
    {"start", barrier},         {"puts", put_stream},   {"barrier", barrier}, {"accumulate", accumulate},
    {"messages", messages},     {"segments", segments}, {"groups", groups},   {"waiting", waiting},
    {"alltoall", alltoall},     {"scatter", scatter},   {"gather", gather},   {"allreduce", allreduce},
    {"neighbours", neighbours},
};

bool expected(const Status& status) {
  return status.code() == Code::peer_failed || status.code() == Code::timeout || status.code() == Code::queue_full;
}

int tell(Rank rank, const char* how, const Status& status, bool good) {
  std::printf("%s: rank %u %s: %s\n", good ? "well" : "BAD", rank, how, status.to_string().c_str());
  return good ? EXIT_SUCCESS : EXIT_FAILURE;
}

Status work(Runtime& rt, Work turn) {
  const auto end = std::chrono::steady_clock::now() + kWorkday;
  for (std::uint32_t number = 0; std::chrono::steady_clock::now() < end; ++number)
    if (Status status = turn(rt, number); !status.ok()) return status;
  return {Code::limit, "worked on without noticing anything"};
}

// The living make a group of their own and meet there.
Status go_on(Runtime& rt, Rank dead) {
  std::vector<Rank> living;
  for (Rank rank = 0; rank < rt.size(); ++rank)
    if (rank != dead) living.push_back(rank);
  auto group = rt.create_group(living);
  if (!group.ok()) return std::move(group).status();
  if (Status status = (*group)->commit(kPatience); !status.ok()) return status;
  for (int i = 0; i < 3; ++i)
    if (Status status = (*group)->barrier(kPatience); !status.ok()) return status;
  return {};
}

int run(const std::string& place, unsigned seed) {
  std::mt19937 random(seed);
  const auto rank = Rank(std::atoi(std::getenv("POLDER_RANK"))), ranks = Rank(std::atoi(std::getenv("POLDER_SIZE")));
  const Rank dead = Rank(random() % ranks);
  const auto moment = std::chrono::microseconds(random() % (place == "start" ? 8000 : 40'000));
  const auto die = [=] {
    std::this_thread::sleep_for(moment);
    kill(getpid(), SIGKILL);
  };
  if (rank == dead && place == "start") std::thread(die).detach();
  setenv("POLDER_COLL_PRIVATE", "once", 1);  // what ranks read of each other's private memory is in the most danger
  auto runtime = Runtime::create({.timeout = kPatience});
  if (!runtime.ok())
    return tell(rank, "did not start", runtime.status(), place == "start" && expected(runtime.status()));
  Runtime& rt = **runtime;
  auto segment = rt.create_segment({.size = 64'000, .id = 0});
  if (!segment.ok()) return tell(rank, "has no segment", segment.status(), false);
  if (Status status = rt.register_handler(1, [](Rank, std::span<const std::byte>) {}); !status.ok())
    return tell(rank, "has no handler", status, false);
  if (place != "start")
    if (Status status = rt.world().barrier(kPatience); !status.ok())
      return tell(rank, "at the first barrier", status, false);
  if (rank == dead && place != "start") std::thread(die).detach();
  const Status noticed = work(rt, kPlaces.at(place));
  if (!expected(noticed)) return tell(rank, "noticed", noticed, false);
  const Status after = go_on(rt, dead);
  // Of ranks that live, some may have started and others not; without these, which have left, the first cannot go on.
  return tell(rank, "went on", after, after.ok() || (place == "start" && expected(after)));
}

}  // namespace

int main(int count, char** words) {
  if (count != 3 || kPlaces.count(words[1]) == 0) {
    std::fprintf(stderr, "usage: victim PLACE SEED, under `polder run`\n");
    return EXIT_FAILURE;
  }
  return run(words[1], unsigned(std::atoi(words[2])));
}
