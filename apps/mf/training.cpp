#include "training.hpp"

#include "item_exchange.hpp"
#include "model_file.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <thread>

namespace mf {
namespace {

class Learner {
 public:
  Learner(const apps::Team& team, const RatingTable& table, const Training& training, std::uint64_t before,
          const Time& time, Factors& users, Factors& items)
      : team_(team),
        table_(table),
        training_(training),
        before_(before),
        time_(time),
        users_(users),
        items_(items),
        change_(items.values().size()) {}

  Status run(apps::Progress& progress);
  Course course;

 private:
  Status begin();
  void sleep(std::uint64_t iteration);
  void learn_here(std::uint64_t iteration);
  Status add_up();
  Status flush();
  Status checkpoint(std::uint64_t iteration);

  const apps::Team& team_;
  const RatingTable& table_;
  const Training& training_;
  const std::uint64_t before_;
  const Time& time_;
  Factors& users_;
  Factors& items_;
  std::vector<double> change_;
  std::unique_ptr<ItemExchange> exchange_;
  bool fails_ = false;  // in this iteration
  bool stops_ = false;
  Status failure_;
};

Status Learner::begin() {
  auto made = training_.by_rows ? exchange_rows(team_, table_, items_) : exchange_sums(team_, items_, training_.shape);
  if (!made.ok()) return made.status();
  exchange_ = *std::move(made);
  return {};
}

Status Learner::run(apps::Progress& progress) {
  if (Status status = begin(); !status.ok()) return status;
  progress.begin("learn", training_.iterations);
  const double begun = time_.now();
  for (std::uint64_t i = 1; i <= training_.iterations; ++i) {
    const std::uint64_t iteration = before_ + i;
    std::fill(change_.begin(), change_.end(), 0.0);
    fails_ = false;
    if (!stops_) {
      sleep(iteration);
      learn_here(iteration);
    }
    // All ranks make all calls, so that none waits for one that has stopped.
    if (Status status = add_up(); !status.ok()) return status;
    course.points.push_back({time_.now() - begun, squared_error(table_.held_out, users_, items_), iteration});
    progress.at(i);
    const bool saves = training_.checkpoint_every != 0 && i % training_.checkpoint_every == 0;
    if (saves && i != training_.iterations)
      if (Status status = checkpoint(iteration); !status.ok()) return status;
  }
  if (Status status = flush(); !status.ok()) return status;
  course.seconds = time_.now() - begun;
  course.staleness /= double(std::max<std::uint64_t>(training_.iterations, 1));
  return team_.agree(failure_);
}

void Learner::sleep(std::uint64_t iteration) {
  constexpr std::uint64_t kLate = 31;
  const Stragglers& late = training_.stragglers;
  double seconds = late.work;
  if (drawn_share(training_.seed + team_.rank(), kLate, iteration) < late.share) seconds += late.pause;
  if (seconds > 0) time_.sleep(seconds);
}

void Learner::learn_here(std::uint64_t iteration) {
  const std::vector<double> before = items_.values();
  learn(table_.learned, users_, items_, training_.rates, drawn(training_.seed, team_.rank(), iteration));
  double total = 0;
  for (std::size_t i = 0; i < before.size(); ++i) total += change_[i] = items_.values()[i] - before[i];
  if (std::isfinite(total)) return;
  failure_ = Status(Code::limit, "in iteration " + std::to_string(iteration) +
                                     " the model has left the numbers there are; use a smaller --rate");
  std::fill(change_.begin(), change_.end(), 0.0);
  fails_ = true;
}

Status Learner::add_up() {
  const double begun = time_.now();
  const auto told = exchange_->add_up(change_, fails_, training_.slack, items_);
  if (!told.ok()) return told.status();
  const std::uint64_t age = told->clock - told->oldest;
  course.stalest = std::max(course.stalest, age);
  course.staleness += double(age);
  // Without slack all wait for all, and nobody is named.
  const bool waited = told->waited_for || training_.slack == 0;
  course.waiting += waited ? std::chrono::duration<double>(told->waited).count() : 0;
  course.communicating += time_.now() - begun;
  course.bytes += told->bytes;
  stops_ = stops_ || exchange_->has_failure();
  return {};
}

Status Learner::flush() {
  Status status = exchange_->flush(items_);
  stops_ = stops_ || exchange_->has_failure();
  return status;
}

Status Learner::checkpoint(std::uint64_t iteration) {
  Status status = flush();
  if (status.ok() && !training_.model.empty() && !stops_)
    status = write_model(team_, training_.model, table_, users_, items_, iteration);
  return status;
}

}  // namespace

Time real_time() {
  const auto now = [] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  };
  return {now, [](double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }};
}

Result<Course> learn_together(const apps::Team& team, const RatingTable& table, const Training& training,
                              std::uint64_t before, const Time& time, Factors& users, Factors& items,
                              apps::Progress& progress) {
  Learner learner(team, table, training, before, time, users, items);
  Status status = learner.run(progress);
  if (!status.ok()) return status;
  return std::move(learner.course);
}

}  // namespace mf
