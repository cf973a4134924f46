#include "bootstrap/gathered/watcher.hpp"

#include "util/log.hpp"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <set>
#include <system_error>
#include <vector>

namespace polder::bootstrap::gathered {
namespace {

// Signals of the program are for the program's threads: a new thread inherits the mask.
class AllSignalsBlocked {
 public:
  AllSignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~AllSignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

}  // namespace

Result<std::shared_ptr<Watcher>> Watcher::start(Crew crew) {
  if (crew.ranks.size() == 1) return std::shared_ptr<Watcher>();
  auto pipe = WakePipe::create();
  if (!pipe.ok()) return std::move(pipe).status();
  std::shared_ptr<Watcher> watcher(new Watcher(std::move(crew), *std::move(pipe)));
  try {
    const AllSignalsBlocked blocked;
    watcher->thread_ = std::thread(&Watcher::run, watcher.get());
  } catch (const std::system_error& error) {
    return Status(Code::system, std::string("the thread that watches the other ranks: ") + error.what());
  }
  watcher->process_ = getpid();
  watcher->pipe_.announce(watcher->crew_.slot(watcher->crew_.me));
  return watcher;
}

Watcher::~Watcher() {
  if (process_ != getpid()) {
    if (thread_.joinable()) thread_.detach();  // a fork() copied this object without its thread
    return;
  }
  stop_.store(true);
  pipe_.wake_owner();
  thread_.join();
  WakePipe::withdraw(crew_.slot(crew_.me));
  hand_over();
}

void Watcher::run() {
  pthread_setname_np(pthread_self(), "polder-watch");
  while (!stop_.load()) {
    watch_the_next();
    sleep_until_news();
  }
}

// Up to the next rank that watches, itself included. Those behind it are its business.
void Watcher::watch_the_next() {
  std::set<Rank> wanted;
  for (const Rank rank : crew_.those_after_me()) {
    if (crew_.has_ended(rank) || !watch(rank)) continue;
    wanted.insert(rank);
    if (WakePipe::is_announced(crew_.slot(rank))) break;
  }
  std::erase_if(watched_, [&](const auto& entry) { return !wanted.contains(entry.first); });
}

// False if `rank` has ended, or cannot be watched.
bool Watcher::watch(Rank rank) {
  if (watched_.contains(rank)) return true;
  auto process = open_process(crew_.process(rank));
  if (process.ok()) {
    watched_.emplace(rank, *std::move(process));
    return true;
  }
  if (process.status().code() == Code::peer_failed) {
    note_end(crew_, rank);
    look_for_abort();
  } else {
    util::log(util::LogLevel::warning, "rank %u would not notice the end of rank %u: %s", crew_.me, rank,
              process.status().to_string().c_str());
  }
  return false;
}

void Watcher::sleep_until_news() {
  std::vector<pollfd> events{{.fd = pipe_.file(), .events = POLLIN, .revents = 0}};
  std::vector<Rank> ranks;
  for (const auto& [rank, process] : watched_) {
    events.push_back({.fd = process.get(), .events = POLLIN, .revents = 0});
    ranks.push_back(rank);
  }
  if (poll(events.data(), events.size(), -1) <= 0) return;
  if (events.front().revents != 0) pipe_.drain();
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (events[i + 1].revents == 0) continue;
    note_end(crew_, ranks[i]);
    watched_.erase(ranks[i]);
  }
  look_for_abort();
}

void Watcher::look_for_abort() const {
  const local::AbortRequest* request = crew_.page->abort_request();
  // The rank that aborts sees to the others itself.
  if (request == nullptr || crew_.process(request->rank).pid == getpid()) return;
  if (crew_.has_ended(request->rank)) complete_abort(crew_, *request);
  follow_abort(*request);
}

// The flag is down already, so of two neighbours that leave at once, whoever is woken sees both.
void Watcher::hand_over() const {
  const std::vector<Rank> ring = crew_.those_after_me();
  for (auto rank = ring.rbegin(); rank != ring.rend(); ++rank) {
    const local::RankSlot& slot = crew_.slot(*rank);
    if (!WakePipe::is_announced(slot)) continue;
    wake(slot);
    if (!crew_.has_ended(*rank)) return;
  }
}

}  // namespace polder::bootstrap::gathered
