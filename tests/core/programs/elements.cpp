// elements: what C++ programs do with single elements of their peers, on whatever way these are reached. Every rank does it with every
// rank: flags that count up, so many of many flags, words that are waited for, typed puts and gets, posted atomics of
// all widths, groups by colour and of nodes, and a rank that leaves when it has sent. Prints "right RANK", or what was wrong and ends with 1.
#include <polder/collective.hpp>
#include <polder/runtime.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace std::chrono_literals;
using namespace polder;

constexpr Timeout kPatience = 60s;
constexpr SegmentId kShared = 0;
constexpr int kRounds = 15;  // with 16 ranks a count still fits in a byte

[[noreturn]] void give_up(const std::string& what, const std::string& why) {
  std::printf("wrong: %s: %s\n", what.c_str(), why.c_str());
  std::fflush(stdout);
  std::exit(EXIT_FAILURE);
}

void require(const std::string& what, bool truth) {
  if (!truth) give_up(what, "not as expected");
}
void must(const std::string& what, const Status& status) {
  if (!status.ok()) give_up(what, status.to_string());
}
template <class Value>
Value must(const std::string& what, Result<Value> result) {
  must(what, result.status());
  return *std::move(result);
}

class Program {
 public:
  explicit Program(Runtime& rt) : rt_(rt), size_(rt.size()), next_((rt.rank() + 1) % rt.size()) {}

  void run() {
    flags_that_count();
    some_of_many();
    words();
    typed();
    count_in<std::uint8_t>("uint8");
    count_in<std::int16_t>("int16");
    count_in<std::uint32_t>("uint32");
    count_in<std::int64_t>("int64");
    count_in<float>("float");
    count_in<double>("double");
    groups();
    last_words();
  }

 private:
  static constexpr std::uint64_t kBytes = 1024;

  // Each part has a segment of its own, at all ranks.
  class Part {
   public:
    explicit Part(Program& program)
        : rt_(program.rt_),
          segment_(must("segment", rt_.create_segment({.size = kBytes, .id = kShared, .notifications = 64}, rt_.world(),
                                                      kPatience))) {}
    ~Part() {
      must("barrier", rt_.world().barrier(kPatience));
      must("delete", rt_.delete_segment(kShared));
    }
    template <class T>
    T at(std::uint64_t index) const {
      return std::atomic_ref<T>(segment_.as<T>()[index]).load();
    }

   private:
    Runtime& rt_;
    Segment segment_;
  };

  // Flags alone and behind data, of all ranks, into one.
  void flags_that_count() {
    const Part part(*this);
    constexpr NotificationId kFlag = 7;
    std::vector<std::uint64_t> data(kRounds + 1);
    for (std::uint64_t round = 1; round <= kRounds; ++round)
      for (Rank peer = 0; peer < size_; ++peer) {
        data[round] = round;
        const GlobalAddress mine{peer, kShared, 8 * rt_.rank()};
        must("notify", rt_.notify(peer, kShared, {.id = kFlag, .value = 2, .op = NotificationOp::add}, kPatience));
        must("put_notify",
             rt_.put_notify(&data[round], mine, 8, {.id = kFlag, .value = 3, .op = NotificationOp::add}, kPatience));
      }
    must("wait", rt_.queue().wait(Completion::local, kPatience));
    const NotificationValue all = 5 * kRounds * size_;
    require("the count", must("wait_count", rt_.wait_count(kShared, kFlag, all, kPatience)) == all);
    require("the flag as it is reset", must("reset", rt_.reset(kShared, kFlag)) == all);
    for (Rank peer = 0; peer < size_; ++peer) require("data behind flags", part.at<std::uint64_t>(peer) == kRounds);
  }

  void some_of_many() {
    const Part part(*this);
    for (Rank peer = 0; peer < size_; ++peer)
      must("notify", rt_.notify(peer, kShared, {.id = 2 * rt_.rank()}, kPatience));
    const NotificationId set = must("wait_several", rt_.wait_several(kShared, 0, 64, size_ - 1, kPatience));
    require("some flags", set >= size_ - 1 && set <= size_);
    require("all flags", must("wait_several", rt_.wait_several(kShared, 0, 64, size_, kPatience)) == size_);
    require("no more", rt_.wait_several(kShared, 0, 64, size_ + 1, 10ms).status().code() == Code::timeout);
  }

  // Nobody raises a flag for them.
  void words() {
    const Part part(*this);
    const GlobalPointer<std::int64_t> mine({rt_.rank(), kShared, 8}), theirs({next_, kShared, 8});
    const std::int64_t minus = -5;
    must("put", rt_.put(std::span(&minus, 1), theirs, {Until::remote, kPatience}));
    require("a word", must("wait_until", rt_.wait_until(mine, Compare::less, 0, kPatience)) == -5);
    must("barrier", rt_.world().barrier(kPatience));
    for (int i = 0; i < 15; ++i) must("fetch_add", rt_.fetch_add(theirs.address(), std::int64_t{1}, kPatience));
    require("a sum", must("wait_until", rt_.wait_until(mine, Compare::greater_equal, 10, kPatience)) == 10);
    const GlobalPointer<std::uint8_t> small({rt_.rank(), kShared, 32});
    must("swap", rt_.post_swap(nullptr, {next_, kShared, 32}, std::uint8_t{200}, kPatience));
    require("a byte", must("wait_until", rt_.wait_until(small, Compare::not_equal, 0, kPatience)) == 200);
  }

  void typed() {
    const Part part(*this);
    const GlobalPointer<float> there({next_, kShared, 0});
    const std::vector<float> three{1.5f, 2.5f, float(rt_.rank())};
    must("put", rt_.put(three, there + 2, {Until::remote, kPatience}));
    std::vector<float> back(5);
    must("get", rt_.get(back, GlobalPointer<const float>(there) + 1, {Until::local, kPatience}));
    require("what was put", back == std::vector<float>{0, 1.5f, 2.5f, float(rt_.rank()), 0});
    must("barrier", rt_.world().barrier(kPatience));
    require("what came", part.at<float>(4) == float((rt_.rank() + size_ - 1) % size_));
    require("an end", rt_.put(three, there + kBytes / 4 - 2, kPatience).code() == Code::invalid_offset);
    auto direct = must("direct_pointer", rt_.direct_pointer(there + 2, kPatience));
    require("the way", direct == nullptr || *direct == 1.5f);
  }

  // All ranks draw tickets of rank 0, many at a time: each is drawn once.
  template <class T>
  void count_in(const std::string& type) {
    const Part part(*this);
    std::vector<T> old(kRounds, T(99));
    for (T& ticket : old)
      must("post_fetch_add of " + type, rt_.post_fetch_add(&ticket, {0, kShared, 8}, T(1), kPatience));
    must("wait", rt_.queue().wait(Completion::local, kPatience));
    const std::int64_t tickets = std::int64_t(size_) * kRounds;
    std::int64_t sums[2] = {0, 0}, all[2] = {};
    for (const T ticket : old) sums[0] += std::int64_t(ticket), sums[1] += std::int64_t(ticket) * std::int64_t(ticket);
    require(type + ": tickets of one rank",
            std::set<T>(old.begin(), old.end()).size() == old.size() && old.back() < T(tickets));
    must("allreduce", allreduce(rt_.world(), Reduction::sum, DataType::int64, sums, all, 2, kPatience));
    require(type + ": tickets of all",
            all[0] == tickets * (tickets - 1) / 2 && all[1] == tickets * (tickets - 1) * (2 * tickets - 1) / 6);
    require(type + ": the counter", must("fetch_add", rt_.fetch_add({0, kShared, 8}, T(0), kPatience)) == T(tickets));
    const T largest =
        must("fetch_accumulate", rt_.fetch_accumulate(Reduction::max, {0, kShared, 8}, T(tickets), kPatience));
    require(type + ": the maximum", largest == T(tickets));
    require(type + ": neighbours", rt_.rank() != 0 || part.at<std::uint64_t>(2) == 0);
  }

  void groups() {
    auto colour = must("split", rt_.split(rt_.world(), rt_.rank() % 2, -std::int64_t(rt_.rank()), kPatience));
    must("commit", colour->commit(kPatience));
    require("the members of a colour", colour->size() == (size_ + 1 - rt_.rank() % 2) / 2 &&
                                           colour->absolute(Rank(colour->size() - 1)) == rt_.rank() % 2);
    auto node = must("node group", rt_.create_node_group());
    must("commit", node->commit(kPatience));
    require("the members of a node", node->size() == rt_.local_size() && node->index() == rt_.local_rank());
    for (Rank peer = 0; peer < size_; ++peer)
      require("the host of a rank", (must("host", rt_.host(peer, kPatience)) == rt_.host()) == rt_.same_node(peer));
    must("barrier", node->barrier(kPatience));
    must("barrier", colour->barrier(kPatience));
    must("barrier", rt_.world().barrier(kPatience));
  }

  // Rank 0 is done when it has sent, and leaves; the others take it later, one after the other.
  void last_words() {
    constexpr std::size_t kLarge = 50'000;
    if (rt_.rank() != 0) std::this_thread::sleep_for(50ms * rt_.rank());
    std::vector<char> all(rt_.rank() == 0 ? kLarge * size_ : 0, 'x'), mine(kLarge);
    must("scatter",
         scatter(rt_.world(), 0, std::vector<std::size_t>(size_, kLarge), all.data(), mine.data(), kPatience));
    require("what was scattered", mine == std::vector<char>(kLarge, 'x'));
    std::uint64_t word = rt_.rank() == 0 ? 7 : 0;
    must("broadcast", broadcast(rt_.world(), 0, &word, sizeof word, kPatience));
    require("what was broadcast", word == 7);
  }

  Runtime& rt_;
  const Rank size_;
  const Rank next_;
};

}  // namespace

int main() {
  auto runtime = Runtime::create({.timeout = kPatience});
  if (!runtime.ok()) give_up("start", runtime.status().to_string());
  Program(**runtime).run();
  std::printf("right %u\n", (*runtime)->rank());
  return EXIT_SUCCESS;
}
