// A rank that does what the command line says, over the public interface. An action is WORD or WORD=ARGUMENT; N:ACTION
// is for rank N only.
//
//   join         makes a runtime;  leave: ends it
//   insist=FILE  makes one, however often that takes; creates the file when the others did not come the first time
//   greet        writes to the next rank and reads what the one before wrote
//   touch=FILE   creates the file;  wait=FILE: until it exists
//   see=R:HOW    until rank R is healthy, failed or finished
//   kill=R, abort=CODE, exit=CODE (at once, without a word)
#pragma once

#include <polder/runtime.hpp>

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>

namespace actor {

using namespace std::chrono_literals;

class Actor {
 public:
  // `timeout`: for finding the other ranks.
  explicit Actor(polder::Timeout timeout) : timeout_(timeout) {}

  // False if it could not be done; the reason has been printed.
  bool run(std::string action) {
    if (const auto colon = action.find(':'); colon != std::string::npos && is_number(action.substr(0, colon))) {
      if (me_ == nullptr || polder::Rank(std::atoi(action.c_str())) != me_->rank()) return true;
      action = action.substr(colon + 1);
    }
    const auto equals = action.find('=');
    const bool good = act(action.substr(0, equals), equals == std::string::npos ? "" : action.substr(equals + 1));
    std::fflush(stdout);
    return good;
  }

  polder::Runtime* runtime() const { return me_.get(); }

 private:
  static bool is_number(const std::string& text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
  }

  static bool complain(const polder::Status& status) {
    std::printf("process %d: %s\n", int(getpid()), status.to_string().c_str());
    return false;
  }

  bool act(const std::string& word, const std::string& what) {
    const int number = std::atoi(what.c_str());
    if (word == "join") return join();
    if (word == "insist") return insist(what);
    if (word == "greet") return greet();
    if (word == "see") return see(polder::Rank(number), what.substr(what.find(':') + 1));
    if (word == "kill") return done(me_->kill(polder::Rank(number), std::chrono::seconds(10)));
    if (word == "touch") return std::ofstream(what).good();
    if (word == "abort") me_->abort(number, "as the test says");
    if (word == "exit") _exit(number);
    if (word == "leave") me_.reset();
    if (word == "wait")
      while (!std::ifstream(what)) usleep(1000);
    return true;
  }

  static bool done(const polder::Status& status) { return status.ok() || complain(status); }

  bool join() {
    auto made = polder::Runtime::create({.timeout = timeout_});
    if (!made.ok()) return complain(made.status());
    me_ = *std::move(made);
    std::printf("rank %u of %u joined\n", me_->rank(), me_->size());
    return true;
  }

  bool insist(const std::string& file) {
    auto made = polder::Runtime::create({.timeout = 100ms});
    if (made.ok() || !std::ofstream(file).good()) return complain(made.status());
    while (made.status().timed_out()) made = polder::Runtime::create({.timeout = 100ms});
    if (!made.ok()) return complain(made.status());
    me_ = *std::move(made);
    std::printf("rank %u of %u joined\n", me_->rank(), me_->size());
    return true;
  }

  bool greet() {
    const polder::Rank me = me_->rank(), next = (me + 1) % me_->size();
    auto segment = me_->create_segment({.size = 64, .id = 0}, me_->world(), 60s);
    if (!segment.ok()) return complain(segment.status());
    if (auto sent = me_->put_notify(&me, {.rank = next, .segment = 0, .offset = 0}, sizeof me, {.id = 0}); !sent.ok())
      return complain(sent);
    if (auto flag = me_->wait_some(0, 0, 1, 60s); !flag.ok()) return complain(flag.status());
    std::printf("rank %u was greeted by rank %u\n", me, segment->as<polder::Rank>()[0]);
    return done(me_->world().barrier(60s)) && done(me_->delete_segment(0));
  }

  bool see(polder::Rank rank, const std::string& how) {
    const auto wanted = how == "failed"     ? polder::Health::failed
                        : how == "finished" ? polder::Health::finished
                                            : polder::Health::healthy;
    for (int i = 0; i < 60'000; ++i) {
      if (me_->health(rank) == wanted) {
        std::printf("rank %u sees that rank %u is %s\n", me_->rank(), rank, how.c_str());
        return true;
      }
      usleep(1000);
    }
    return complain({polder::Code::timeout, "rank " + std::to_string(rank) + " is not " + how});
  }

  const polder::Timeout timeout_;
  std::unique_ptr<polder::Runtime> me_;
};

// The number of seconds that ACTOR_TIMEOUT says, or a minute.
inline polder::Timeout timeout_from_environment() {
  const char* seconds = std::getenv("ACTOR_TIMEOUT");
  return std::chrono::seconds(seconds != nullptr ? std::atoi(seconds) : 60);
}

}  // namespace actor
