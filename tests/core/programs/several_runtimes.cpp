// Three runtimes in each process: each finds its own peers, under ids that all three use, and none sees the others. One
// of them ends while the others work, and a new one takes its place.
#include <polder/runtime.hpp>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace std::chrono_literals;
using namespace polder;

void require(bool truth, const std::string& what) {
  if (truth) return;
  std::fprintf(stderr, "several_runtimes: failed: %s\n", what.c_str());
  std::exit(1);
}

void require(const Status& status) {
  require(status.ok(), status.to_string());
}

// One of the runtimes, with a segment, a queue, a group and a message handler of its own.
class World {
 public:
  explicit World(std::uint64_t number) : number_(number) {
    auto joined = Runtime::create();
    require(joined.status());
    runtime_ = *std::move(joined);
    require(runtime_->register_handler(1, [this](Rank, std::span<const std::byte> text) {
      std::uint64_t word = 0;
      std::memcpy(&word, text.data(), sizeof word);
      heard_ += word;
    }));
    auto segment = runtime_->create_segment({.size = 4096, .id = 3}, runtime_->world(), 30s);
    require(segment.status());
    words_ = segment->as<std::uint64_t>();
  }

  // A message from neighbour to neighbour in each way that there is.
  void work(std::uint64_t round) {
    const Rank next = (runtime_->rank() + 1) % runtime_->size();
    const std::uint64_t word = 1000 * number_ + round;
    require(runtime_->put_notify(&word, {next, 3, 8}, sizeof word, {.id = 5, .value = NotificationValue(word)}));
    const auto id = runtime_->wait_some(3, 0, 64, 30s);
    require(id.status());
    const auto value = runtime_->reset(3, *id);
    require(value.ok() && *id == 5 && *value == word && words_[1] == word, "a message of this runtime and no other");
    require(runtime_->fetch_add<std::uint64_t>({0, 3, 16}, number_).status());
    require(runtime_->send(next, 1, std::as_bytes(std::span(&word, 1)), 30s));
    sent_ += word;
    require(runtime_->world().barrier(30s));
  }

  void check(std::uint64_t rounds) {
    const auto end = std::chrono::steady_clock::now() + 30s;
    while (heard_ != sent_ && std::chrono::steady_clock::now() < end) {
      runtime_->progress();
      std::this_thread::sleep_for(1ms);
    }
    require(heard_ == sent_, "all messages of this runtime");
    require(runtime_->world().barrier(30s));
    if (runtime_->rank() == 0) require(words_[2] == number_ * rounds * runtime_->size(), "the counter of this runtime");
    require(runtime_->segments().size() == 1, "the segments of this runtime");
    require(runtime_->world().barrier(30s));
  }

 private:
  const std::uint64_t number_;
  std::unique_ptr<Runtime> runtime_;
  std::span<std::uint64_t> words_;
  std::atomic<std::uint64_t> heard_{0};
  std::uint64_t sent_ = 0;
};

void live(World& world, std::uint64_t rounds) {
  for (std::uint64_t round = 1; round <= rounds; ++round) world.work(round);
  world.check(rounds);
}

}  // namespace

int main() {
  constexpr std::uint64_t kRounds = 50;
  auto first = std::make_unique<World>(1);
  World second(2);
  auto third = std::make_unique<World>(3);
  {
    std::jthread beside([&] { live(second, kRounds); });
    live(*first, kRounds);
    first.reset();  // while the second one works
    live(*third, kRounds);
  }
  World fourth(4);
  live(fourth, kRounds);
  third.reset();
  return 0;
}
