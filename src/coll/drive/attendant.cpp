#include "coll/drive/attendant.hpp"

#include "coll/drive/attended.hpp"
#include "core/progress/progress.hpp"
#include "util/waiting.hpp"

namespace polder::coll {
namespace {

constexpr std::int64_t kNap = 1'000'000;            // ns
constexpr int kNapsInVain = 16;                     // then it sleeps until it is called
constexpr std::int64_t kUntilCalled = 500'000'000;  // ns; there is no need ever to wake

util::WaitOptions of_attendant(util::WaitOptions options) {
  options.slice_ns = Attended::kLook;
  options.has_core = false;  // where the program is
  return options;
}

}  // namespace

Attendant::Attendant(core::Progress& progress, util::Bell& bell)
    : progress_(progress),
      bell_(bell),
      patience_(of_attendant(progress.patience().options())),
      thread_(progress.clock(), "polder-attends", [this] { serve(); }) {}

Attendant::~Attendant() {
  stopping_.store(true, std::memory_order_release);
  called_.ring();
  bell_.ring();
  thread_.join();
}

void Attendant::begun(bool at_once) {
  open_.fetch_add(1, std::memory_order_seq_cst);
  if (at_once) at_once_.store(true);
}

void Attendant::call(bool at_once) {
  at_once ? called_.ring() : call_if_it_sleeps_long();
}

// One that naps looks by itself. Either it sees here that there is something, or it is seen to sleep.
void Attendant::call_if_it_sleeps_long() {
  if (sleeps_long_.load(std::memory_order_seq_cst)) called_.ring();
}

Attendant::Away::Away(Attendant* attendant) : attendant_(attendant) {
  if (attendant_ != nullptr) attendant_->away_.fetch_add(1, std::memory_order_seq_cst);
}

Attendant::Away::~Away() {
  if (attendant_ == nullptr) return;
  attendant_->away_.fetch_sub(1, std::memory_order_seq_cst);
  if (attendant_->open_.load(std::memory_order_seq_cst) != 0) attendant_->call_if_it_sleeps_long();
}

void Attendant::serve() {
  while (!stopping_.load(std::memory_order_acquire)) {
    rest();
    go_on();
  }
}

// Until there is something to do.
void Attendant::rest() {
  for (int naps = 0;; ++naps) {
    util::Bell::Listener listener(called_);
    const bool sleeps_long = naps >= kNapsInVain;
    sleeps_long_.store(sleeps_long, std::memory_order_seq_cst);
    if (is_called()) return;
    if (!sleeps_long) {
      if (nap(listener)) return;
      continue;
    }
    if (!has_work()) listener.sleep(kUntilCalled);
    if (is_called()) return;
    if (has_work()) naps = 0;
  }
}

// True: something has stayed.
bool Attendant::nap(util::Bell::Listener& listener) {
  const std::uint64_t ended = ended_.load(std::memory_order_relaxed);
  const bool had_work = has_work();
  listener.sleep(kNap);
  return is_called() || (had_work && has_work() && ended_.load(std::memory_order_relaxed) == ended);
}

// Until nothing is left, or a thread of the program waits.
void Attendant::go_on() {
  sleeps_long_.store(false, std::memory_order_seq_cst);
  const auto over = [this] {
    progress_.background().advance();  // which looks after deaths, too
    return !has_work() || stopping_.load(std::memory_order_acquire);
  };
  [[maybe_unused]] const Status status = util::wait_until(
      over, [] { return Status(); }, bell_, patience_, Timeout::block());
  at_once_.store(false);
  if (open_.load(std::memory_order_seq_cst) != 0) at_once_.store(true);
  // A thread that lay down while this one drove its lane may have missed what has come meanwhile.
  bell_.ring();
}

}  // namespace polder::coll
