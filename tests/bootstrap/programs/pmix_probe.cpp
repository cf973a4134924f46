// A rank that meets the others through PMIx and does nothing but what bootstrap.hpp offers: jobs of several nodes can
// be tested without a network device.
//
//   pmix_probe ACTION...     the actions of all ranks in order; N:ACTION is one of rank N only
//
//   greet       publishes a record, reads that of every rank
//   again       leaves in good order and joins anew
//   wait=FILE   until the file exists;  touch=FILE
//   see=R:HOW   until rank R is healthy, failed or finished
//   report=R, kill=R, abort=CODE, leave, exit=CODE (without a word)
#include "bootstrap/plugin.hpp"

extern "C" void polder_create_bootstrap(polder::Timeout timeout,
                                        polder::Result<std::unique_ptr<polder::bootstrap::Bootstrap>>& bootstrap);

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

namespace {

using namespace std::chrono_literals;
using namespace polder;
using bootstrap::Bootstrap;

constexpr Timeout kTimeout = 60s;

class Probe {
 public:
  bool join();
  bool run(std::string action);

 private:
  bool act(const std::string& verb, const std::string& what);
  bool greet();
  bool see(Rank rank, const std::string& how);
  bool complain(const Status& status) const {
    std::printf("rank %u: %s\n", me_ == nullptr ? 0 : me_->job().rank, status.to_string().c_str());
    return false;
  }

  std::unique_ptr<Bootstrap> me_;
  int greetings_ = 0;
};

bool Probe::join() {
  Result<std::unique_ptr<Bootstrap>> made = Code::system;
  polder_create_bootstrap(kTimeout, made);
  if (!made.ok()) return complain(made.status());
  me_ = *std::move(made);
  const bootstrap::Job& job = me_->job();
  std::printf("rank %u of %u, %u of %u on %s, job %016llx\n", job.rank, job.size, job.local_rank, job.local_size,
              job.host.c_str(), static_cast<unsigned long long>(job.id));
  return true;
}

bool Probe::greet() {
  const std::string key = "greeting/" + std::to_string(greetings_++);
  const auto text_of = [&](Rank rank) { return key + " of rank " + std::to_string(rank); };
  const std::string mine = text_of(me_->job().rank);
  if (Status status = me_->publish(key, std::as_bytes(std::span(mine))); !status.ok()) return complain(status);
  for (Rank rank = 0; rank < me_->job().size; ++rank) {
    const auto record = me_->lookup(rank, key, kTimeout);
    if (!record.ok()) return complain(record.status());
    if (std::string(reinterpret_cast<const char*>(record->data()), record->size()) != text_of(rank))
      return complain(Status(Code::system, "a wrong record of rank " + std::to_string(rank)));
  }
  std::printf("rank %u read %s\n", me_->job().rank, key.c_str());
  return true;
}

bool Probe::see(Rank rank, const std::string& how) {
  const Health wanted = how == "failed" ? Health::failed : how == "finished" ? Health::finished : Health::healthy;
  for (int i = 0; i < 60'000; ++i) {
    if (me_->health(rank) == wanted) {
      std::printf("rank %u sees rank %u %s\n", me_->job().rank, rank, how.c_str());
      return true;
    }
    usleep(1000);
  }
  return complain(Status(Code::timeout, "rank " + std::to_string(rank) + " is not " + how));
}

bool Probe::act(const std::string& verb, const std::string& what) {
  const auto number = Rank(std::atoi(what.c_str()));
  if (verb == "greet") return greet();
  if (verb == "touch") return std::ofstream(what).good();
  if (verb == "see") return see(number, what.substr(what.find(':') + 1));
  if (verb == "abort") me_->abort(int(number), "as the test says");
  if (verb == "exit") _exit(int(number));
  if (verb == "report") me_->report_failure(number);
  if (verb == "leave" || verb == "again") {
    me_->finish();
    me_.reset();
  }
  if (verb == "again") return join();
  if (verb == "kill")
    if (Status status = me_->kill(number); !status.ok()) return complain(status);
  if (verb == "wait")
    while (!std::ifstream(what)) usleep(1000);
  return true;
}

bool Probe::run(std::string action) {
  if (const auto colon = action.find(':');
      colon != std::string::npos && action.find_first_not_of("0123456789") == colon) {
    if (me_ == nullptr || Rank(std::atoi(action.c_str())) != me_->job().rank) return true;
    action = action.substr(colon + 1);
  }
  const auto equals = action.find('=');
  const bool good = act(action.substr(0, equals), equals == std::string::npos ? "" : action.substr(equals + 1));
  std::fflush(stdout);
  return good;
}

}  // namespace

int main(int count, char** arguments) {
  Probe probe;
  if (!probe.join()) return 1;
  for (int i = 1; i < count; ++i)
    if (!probe.run(arguments[i])) return 1;
  return 0;
}
