// endure SECONDS CALL_MS: a rank that works with all others for that long, whatever happens to the network. Every call
// may take CALL_MS and must then have ended. Lines on standard output, with times of the steady clock, which all hosts
// of one machine share:
//   ready RANK HOST            the job stands
//   saw RANK PEER STATE TIME   the state of a peer changed
//   late RANK PEER MS          a call took much longer than it was allowed
//   wrong RANK PEER            data that arrived are not those that were sent
//   end RANK STATES GOOD LONGEST_MS     a letter per rank: h, f(inished), F(ailed); turns that went well; longest call
#include <polder/runtime.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

namespace {

using namespace std::chrono_literals;
using namespace polder;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kBlock = 1024;  // bytes that each rank owns in each segment
constexpr std::size_t kCounter = 0;   // where the block's counter lies
constexpr std::size_t kData = 64;
constexpr std::size_t kBytes = 512;
constexpr auto kStartLimit = 60s;
constexpr double kSlack_ms = 4000;  // that a loaded machine may add to a call

double now() {
  return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
}

char letter(Health health) {
  return health == Health::healthy ? 'h' : health == Health::finished ? 'f' : 'F';
}

// What this rank does with one other.
class Pair {
 public:
  Pair(Runtime& rt, Rank peer, std::chrono::milliseconds limit) : rt_(rt), peer_(peer), limit_(limit) {}

  void turn(std::uint64_t number) {
    look();
    if (seen_ != Health::healthy) return;
    // An operation that timed out is still under way: its memory is touched again when it has ended.
    if (unsure_ && !well(timed([&] { return rt_.wait_for(peer_, Completion::remote, limit_); }))) return;
    if (exchange(number) && count()) ++good_;
  }

  std::uint64_t good() const { return good_; }
  double longest_ms() const { return longest_ms_; }

 private:
  void look() {
    const Health health = rt_.health(peer_);
    if (health == seen_) return;
    seen_ = health;
    std::printf("saw %u %u %c %.3f\n", rt_.rank(), peer_, letter(health), now());
  }

  template <class Call>
  Status timed(Call call) {
    const double start = now();
    Status status = call();
    const double ms = (now() - start) * 1000;
    longest_ms_ = std::max(longest_ms_, ms);
    if (ms > double(limit_.count()) + kSlack_ms) std::printf("late %u %u %.0f\n", rt_.rank(), peer_, ms);
    return status;
  }

  bool well(const Status& status) {
    unsure_ = status.timed_out();
    if (!status.ok() && !unsure_ && status.code() != Code::peer_failed) {
      std::printf("wrong %u %u %s\n", rt_.rank(), peer_, status.to_string().c_str());
    }
    return status.ok();
  }

  // Writes a block there with a flag, and reads it back.
  bool exchange(std::uint64_t number) {
    for (std::size_t i = 0; i < sent_.size(); ++i) sent_[i] = number * 1000 + i;
    const GlobalAddress there{.rank = peer_, .segment = 0, .offset = rt_.rank() * kBlock + kData};
    const Notification flag{.id = rt_.rank(), .value = NotificationValue(number % 1000 + 1)};
    if (!well(timed([&] { return rt_.put_notify(sent_.data(), there, kBytes, flag, Timeout(limit_)); }))) return false;
    if (!well(timed([&] { return rt_.wait_for(peer_, Completion::remote, limit_); }))) return false;
    if (!well(timed([&] { return rt_.get(back_.data(), there, kBytes, Post(Until::local, limit_)); }))) return false;
    if (back_ == sent_) return true;
    const auto at = std::size_t(std::mismatch(back_.begin(), back_.end(), sent_.begin()).first - back_.begin());
    const Status put = rt_.queue().wait(Completion::remote, limit_);
    std::printf("wrong %u %u data of turn %llu: word %zu is %llu; the put: %s\n", rt_.rank(), peer_,
                static_cast<unsigned long long>(number), at, static_cast<unsigned long long>(back_[at]),
                put.to_string().c_str());
    return false;
  }

  // Adds to a counter that nobody else adds to: what it was is known, up to the additions whose end nobody saw.
  bool count() {
    const GlobalAddress there{.rank = peer_, .segment = 0, .offset = rt_.rank() * kBlock + kCounter};
    std::uint64_t old = 0;
    const Status status = timed([&] {
      auto result = rt_.fetch_add<std::uint64_t>(there, 1, limit_);
      old = result.value_or(0);
      return result.status();
    });
    ++tried_;
    if (!well(status)) return false;
    if (old < added_ || old >= tried_)
      std::printf("wrong %u %u counter %llu\n", rt_.rank(), peer_, static_cast<unsigned long long>(old));
    added_ = old + 1;
    return true;
  }

  Runtime& rt_;
  Rank peer_;
  std::chrono::milliseconds limit_;
  Health seen_ = Health::healthy;
  bool unsure_ = false;
  std::array<std::uint64_t, kBytes / 8> sent_{}, back_{};
  std::uint64_t added_ = 0, tried_ = 0, good_ = 0;
  double longest_ms_ = 0;
};

void work(Runtime& rt, double seconds, std::chrono::milliseconds limit) {
  std::vector<Pair> pairs;
  pairs.reserve(rt.size());
  for (Rank peer = 0; peer < rt.size(); ++peer)
    if (peer != rt.rank()) pairs.emplace_back(rt, peer, limit);
  // All work equally long in time, so that nobody is missed because it has finished.
  const double end = now() + seconds;
  for (std::uint64_t number = 1; now() < end; ++number) {
    for (Pair& pair : pairs) pair.turn(number);
    std::this_thread::sleep_for(5ms);
  }
  std::uint64_t good = 0;
  double longest_ms = 0;
  for (const Pair& pair : pairs) {
    good += pair.good();
    longest_ms = std::max(longest_ms, pair.longest_ms());
  }
  std::string states;
  for (const Health health : rt.health()) states.push_back(letter(health));
  std::printf("end %u %s %llu %.0f\n", rt.rank(), states.c_str(), static_cast<unsigned long long>(good), longest_ms);
}

int complain(const char* what, const Status& status) {
  std::printf("wrong: %s: %s\n", what, status.to_string().c_str());
  return EXIT_FAILURE;
}

}  // namespace

int main(int count, char** words) {
  if (count != 3) return std::fprintf(stderr, "usage: endure SECONDS CALL_MS\n"), 2;
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  auto runtime = Runtime::create({.timeout = kStartLimit});
  if (!runtime.ok()) return complain("start", runtime.status());
  Runtime& rt = **runtime;
  auto segment =
      rt.create_segment({.size = rt.size() * kBlock, .id = 0, .notifications = rt.size()}, rt.world(), kStartLimit);
  if (!segment.ok()) return complain("segment", segment.status());
  std::printf("ready %u %s\n", rt.rank(), rt.host().c_str());
  const std::chrono::milliseconds limit(std::atoi(words[2]));
  work(rt, std::atof(words[1]), limit);
  // A rank that ends first must not look to the others as if it had left in the middle of the work. Their last turn may
  // take eight ways there and back, and what a rank says as it leaves arrives at once.
  std::this_thread::sleep_for(2 * limit);
  return EXIT_SUCCESS;
}
