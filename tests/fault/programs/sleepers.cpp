// sleepers END: all ranks but the last sleep in every blocking call at once, a thread for each, and need the last rank
// for it. That one ends as END says:
//   exit     exit(1), its runtime as it is      crash   SIGKILL
//   term     its runtime ends, then it does     leave   it leaves by the call for exit handlers, then exit(1)
//   wait     not by itself: somebody else ends it, or its host
// Lines on standard output, with times of the steady clock, which all hosts of one machine share:
//   ready RANK                 the job stands
//   told RANK CALL CODE MS     the call ended, so long after the last rank had said that it ends (0: it did not say so)
//   well RANK                  all calls of the rank ended, each as it should
#include <polder/collective.hpp>
#include <polder/runtime.hpp>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace std::chrono_literals;
using namespace polder;

constexpr Timeout kStart = 100s;
constexpr SegmentId kData = 0, kTogether = 1;
constexpr std::uint64_t kMoment = 0;    // where the last rank writes when it ends
constexpr std::uint64_t kThrough = 32;  // at rank 0: how many others are through
constexpr MessageId kLetter = 1;

// Over a letter, which the last rank does once it has met the others for the last time, so that its mailbox fills up.
std::atomic<bool> sleeping{false};

double now_ms() {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

[[noreturn]] void give_up(const char* what, const Status& status) {
  std::printf("wrong: %s: %s\n", what, status.to_string().c_str());
  std::fflush(stdout);
  std::_Exit(EXIT_FAILURE);
}

template <class Value>
Value must(const char* what, Result<Value> result) {
  if (!result.ok()) give_up(what, result.status());
  return *std::move(result);
}
void must(const char* what, const Status& status) {
  if (!status.ok()) give_up(what, status);
}

struct Sleep {
  std::string name;
  std::function<Status()> call;
  bool may_succeed = false;  // a mutex is handed on
};

// What outlives the calls.
struct Things {
  std::vector<std::unique_ptr<Group>> groups;
  std::unique_ptr<Mutexes> mutexes;
  std::vector<std::byte> room = std::vector<std::byte>(1 << 16);
};

class Rest {
 public:
  explicit Rest(Runtime& rt) : rt_(rt), last_(rt.size() - 1) {
    all_.resize(rt.size());
    for (Rank rank = 0; rank < rt.size(); ++rank) all_[rank] = rank;
    for (int i = 0; i < 10; ++i) things_.groups.push_back(must("group", rt.create_group(all_)));
    uncommitted_ = things_.groups.back().get();
    for (auto& group : things_.groups)
      if (group.get() != uncommitted_) must("commit", group->commit(kStart));
    things_.mutexes = must("mutexes", rt.create_mutexes(rt.world(), 1, kStart));
    if (rt.rank() == last_) must("lock", things_.mutexes->lock({0, 0}, kStart));
    for (const Rank peer : all_) must("data", rt.remote_segment(peer, kData, kStart));  // for the last word
    must("barrier", rt.world().barrier(kStart));
  }

  std::vector<Sleep> sleeps() {
    std::vector<Sleep> all{
        {"barrier", [&] { return group(0).barrier(Timeout::block()); }},
        {"allgather", [&] { return gather(group(1)); }},
        {"allreduce", [&] { return reduce(group(2)); }},
        {"create_segment",
         [&] { return rt_.create_segment({.size = 64, .id = kTogether}, group(3), Timeout::block()).status(); }},
        {"allocate", [&] { return rt_.allocate(group(4), {.size = 64}, Timeout::block()).status(); }},
        {"broadcast", [&] { return broadcast(group(5), last_, room() + 2000, 8, Timeout::block()); }},
        {"alltoall", [&] { return alltoall(group(6), 8, room() + 3000, room() + 4000, Timeout::block()); }},
        {"create_mutexes", [&] { return rt_.create_mutexes(group(7), 1, Timeout::block()).status(); }},
        {"split", [&] { return rt_.split(group(8), 0, 0, Timeout::block()).status(); }},
        {"commit", [&] { return uncommitted_->commit(Timeout::block()); }},
        {"wait_some_watching", [&] { return rt_.wait_some(kData, 1, 4, Timeout::block(), {.rank = last_}).status(); }},
        {"wait_several_watching",
         [&] { return rt_.wait_several(kData, 1, 4, 2, Timeout::block(), {.rank = last_}).status(); }},
        {"wait_count_watching",
         [&] { return rt_.wait_count(kData, 6, 5, Timeout::block(), {.rank = last_}).status(); }},
        {"wait_until_watching",
         [&] {
           const GlobalPointer<std::int64_t> word({rt_.rank(), kData, 56});
           return rt_.wait_until(word, Compare::greater, 0, Timeout::block(), {.rank = last_}).status();
         }},
        {"lock", [&] { return lock(); }, true},
        {"send", [&] { return until_error([&] {
                         return rt_.send(last_, kLetter, {room(), 1000});
                       }); }},
        {"fetch_add",
         [&] { return until_error([&] {
                 return rt_.fetch_add<std::uint64_t>({last_, kData, 8}, 1).status();
               }); }},
        {"fetch_accumulate",
         [&] {
           return until_error([&] { return rt_.fetch_accumulate(Reduction::sum, {last_, kData, 24}, 1.0).status(); });
         }},
        {"get",
         [&] { return until_error([&] {
                 return rt_.get(room() + 5000, {last_, kData, 16}, 8, Until::local);
               }); }},
        {"handle", [&] { return until_error([&] { return through_handle(); }); }},
        {"put", [&] { return until_error([&] {
                        return rt_.put(room(), {last_, kData, 16}, 8, Until::remote);
                      }); }},
    };
    // Of more ranks, others could still raise it.
    if (rt_.size() == 2)
      all.push_back({"wait_some", [&] { return rt_.wait_some(kData, 1, 4, Timeout::block()).status(); }});
    return all;
  }

 private:
  Group& group(std::size_t index) { return *things_.groups[index]; }
  std::byte* room() { return things_.room.data(); }

  Status gather(Group& group) {
    std::vector<std::byte> all(8 * group.size());
    return group.allgather({room(), 8}, all, Timeout::block());
  }
  Status reduce(Group& group) {
    const std::int64_t one = 1;
    std::int64_t sum = 0;
    return allreduce(group, Reduction::sum, DataType::int64, &one, &sum, 1, Timeout::block());
  }
  Status lock() {
    Status status = things_.mutexes->lock({0, 0}, Timeout::block());
    if (status.ok() || status.code() == Code::owner_died) must("unlock", things_.mutexes->unlock({0, 0}));
    return status.code() == Code::owner_died ? Status() : status;
  }
  Status through_handle() {
    Handle handle;
    if (Status status = rt_.put(room(), {last_, kData, 16}, 8, handle); !status.ok()) return status;
    return handle.wait(Completion::remote, Timeout::block());
  }
  static Status until_error(const std::function<Status()>& call) {
    while (true) {
      if (Status status = call(); !status.ok()) return status;
      std::this_thread::sleep_for(100us);
    }
  }

  Runtime& rt_;
  const Rank last_;
  std::vector<Rank> all_;
  Things things_;
  Group* uncommitted_ = nullptr;
};

[[noreturn]] void end(std::unique_ptr<Runtime>& rt, std::unique_ptr<Rest>& rest, const std::string& how) {
  sleeping = true;
  std::this_thread::sleep_for(1s);  // mostly all others sleep by now; one that comes later must be told as well
  for (Rank peer = 0; peer + 1 < rt->size(); ++peer) {
    const double now = now_ms();
    // Not awaited: a handler of this rank sleeps, and over a network nobody else takes answers meanwhile.
    must("the last word", rt->put(&now, {peer, kData, kMoment}, sizeof now));
  }
  if (how == "wait") std::this_thread::sleep_for(1h);
  if (how == "crash") std::raise(SIGKILL);
  if (how == "exit") std::exit(1);
  sleeping = false;
  if (how == "leave") {
    rt->leave();
    std::exit(1);
  }
  rest.reset();
  rt.reset();
  std::exit(0);
}

// Whoever ends in good order deletes its groups first, and its runtime after them. Over a network a rank may have had no
// link to it until then, because its handler sleeps, and hears of the first of the two.
bool tells_of_the_end(Code code, const std::string& how) {
  return code == Code::peer_failed || (how == "term" && code == Code::invalid_group);
}

bool sleep_in_all(Runtime& rt, Rest& rest, const double& moment, const std::string& how) {
  const std::vector<Sleep> sleeps = rest.sleeps();
  std::atomic<bool> well{true};
  std::vector<std::thread> threads;
  for (const Sleep& sleep : sleeps)
    threads.emplace_back([&] {
      const Status status = sleep.call();
      const double since = moment == 0 ? 0 : now_ms() - moment;
      std::printf("told %u %s %s %.0f\n", rt.rank(), sleep.name.c_str(), std::string(to_string(status.code())).c_str(),
                  since);
      if (!tells_of_the_end(status.code(), how) && !(status.ok() && sleep.may_succeed)) {
        std::printf("wrong: %s of rank %u: %s\n", sleep.name.c_str(), rt.rank(), status.to_string().c_str());
        well = false;
      }
    });
  for (std::thread& thread : threads) thread.join();
  return well;
}

}  // namespace

int main(int count, char** words) {
  if (count != 2) return std::fprintf(stderr, "usage: sleepers exit|crash|term|leave|wait\n"), 2;
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  auto rt = must("start", Runtime::create({.timeout = kStart}));
  // A letter may as well come while this very thread waits inside a call, and it is the one that has to end.
  const std::thread::id ender = std::this_thread::get_id();
  must("handler", rt->register_handler(kLetter, [&](Rank, auto) {
    while (sleeping && rt->rank() + 1 == rt->size() && std::this_thread::get_id() != ender)
      std::this_thread::sleep_for(1ms);
  }));
  const Segment data =
      must("segment", rt->create_segment({.size = 64, .id = kData, .notifications = 8}, rt->world(), kStart));
  auto rest = std::make_unique<Rest>(*rt);
  std::printf("ready %u\n", rt->rank());
  if (rt->rank() + 1 == rt->size()) end(rt, rest, words[1]);
  const bool well = sleep_in_all(*rt, *rest, data.as<double>()[0], words[1]);
  if (well) std::printf("well %u\n", rt->rank());
  // Rank 0 has the mutex: it stays until the other survivors are through.
  if (rt->rank() != 0) must("the end", rt->fetch_add<std::uint64_t>({0, kData, kThrough}, 1).status());
  const std::atomic_ref<std::uint64_t> through(data.as<std::uint64_t>()[kThrough / 8]);
  while (rt->rank() == 0 && through.load() + 2 < rt->size()) std::this_thread::sleep_for(1ms);
  return well ? EXIT_SUCCESS : EXIT_FAILURE;
}
