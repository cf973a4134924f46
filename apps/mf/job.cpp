#include "job.hpp"

#include "common/output_file.hpp"
#include "model_file.hpp"
#include "rating_file.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <span>

namespace mf {
namespace {

std::string name_of(polder::StaleShape shape) {
  constexpr const char* kNames[] = {"hypercube", "flat", "sharded"};
  return kNames[std::size_t(shape)];
}

class TrainJob {
 public:
  TrainJob(const apps::Team& team, const TrainOptions& options, const Time& time)
      : team_(team), options_(options), time_(time) {}

  Result<Report> run() {
    Status status = team_.agree(check_outputs());
    if (status.ok()) status = team_.agree(load_model());
    if (status.ok()) status = load_ratings();
    if (status.ok()) status = team_.agree(make_factors());
    if (status.ok()) status = learn();
    if (status.ok()) status = measure();
    const std::string& path = options_.training.model;
    if (status.ok() && !path.empty()) status = write_model(team_, path, table_, users_, items_, report_.iterations);
    if (!status.ok()) return status;
    return report_;
  }

 private:
  Status check_outputs() const;
  Status load_model();
  Status load_ratings();
  Status make_factors();
  Status learn();
  Status measure();

  const apps::Team& team_;
  const TrainOptions& options_;
  const Time& time_;
  std::optional<Model> resumed_;
  RatingTable table_;
  Factors users_, items_;
  Report report_;
};

Status TrainJob::check_outputs() const {
  Status status;
  if (!options_.training.model.empty()) status = apps::check_output(options_.training.model);
  if (status.ok() && !options_.json.empty() && team_.rank() == 0) status = apps::check_output(options_.json);
  return status;
}

Status TrainJob::load_model() {
  if (options_.resume.empty()) return {};
  Result<Model> model = read_model(options_.resume);
  if (!model.ok()) return std::move(model).status();
  resumed_ = *std::move(model);
  return {};
}

Status TrainJob::load_ratings() {
  Result<std::vector<Rating>> ratings = std::vector<Rating>();
  report_.source = options_.generates ? "generated" : options_.input;
  if (options_.generates)
    *ratings = generate(options_.recipe, team_.rank(), team_.size());
  else
    ratings = read_ratings(team_, options_.input, true);
  if (!ratings.ok()) return std::move(ratings).status();
  const HeldOut held_out{options_.held_out, options_.training.seed};
  Result<RatingTable> table = deal(team_, *ratings, held_out, resumed_ ? std::optional(resumed_->mean) : std::nullopt);
  if (!table.ok()) return std::move(table).status();
  table_ = *std::move(table);
  if (table_.all_learned == 0)
    return team_.agree(Status(Code::invalid_argument, "all ratings are held out; use a smaller --held-out"));
  if (options_.target > 0 && table_.all_held_out == 0)
    return team_.agree(Status(Code::invalid_argument,
                              "a --target is an error of what is held out, and nothing is; use a larger --held-out"));
  return {};
}

Status TrainJob::make_factors() {
  constexpr std::uint64_t kUsers = 41, kItems = 42;
  const std::size_t first = table_.first_user[team_.rank()], count = table_.first_user[team_.rank() + 1] - first;
  const unsigned length = resumed_ ? resumed_->item_factors.length() : options_.factors;
  if (resumed_ && options_.factors_requested && length != options_.factors)
    return {Code::invalid_argument, "the model '" + options_.resume + "' has " + std::to_string(length) +
                                        " factors, not " + std::to_string(options_.factors)};
  users_ = Factors(count, length);
  items_ = Factors(table_.items.size(), length);
  if (!resumed_) {
    users_.draw(std::span(table_.users).subspan(first, count), options_.training.seed, kUsers);
    items_.draw(table_.items, options_.training.seed, kItems);
    return {};
  }
  if (resumed_->users != table_.users || resumed_->items != table_.items)
    return {Code::invalid_argument,
            "the model '" + options_.resume + "' has learned other users or items than these ratings have"};
  items_ = resumed_->item_factors;
  for (std::size_t user = 0; user < count; ++user)
    std::ranges::copy(std::as_const(resumed_->user_factors)[first + user], users_[user].begin());
  return {};
}

Status TrainJob::learn() {
  const std::uint64_t before = resumed_ ? resumed_->iterations : 0;
  apps::Progress progress(options_.progress && team_.rank() == 0);
  const Result<Course> course =
      learn_together(team_, table_, options_.training, before, time_, users_, items_, progress);
  if (!course.ok()) return course.status();
  report_.learned = table_.all_learned;
  report_.held_out = table_.all_held_out;
  report_.users = table_.users.size();
  report_.items = table_.items.size();
  report_.factors = items_.length();
  report_.ranks = team_.size();
  report_.iterations = before + options_.training.iterations;
  report_.slack = options_.training.slack;
  report_.shape = options_.training.by_rows ? "rows" : name_of(options_.training.shape);
  if (options_.generates) report_.floor = floor_of(options_.recipe, table_.all_learned);
  if (table_.all_held_out > 0) report_.target = options_.target > 0 ? options_.target : 1.25 * report_.floor;
  return collect(team_, table_, *course, report_);
}

Status TrainJob::measure() {
  std::array<double, 2> squared{squared_error(table_.learned, users_, items_),
                                squared_error(table_.held_out, users_, items_)};
  if (Status status = team_.sum(squared); !status.ok()) return status;
  const auto root = [](double sum, std::uint64_t count) {
    return std::sqrt(sum / double(std::max<std::uint64_t>(count, 1)));
  };
  report_.error_learned = root(squared[0], table_.all_learned);
  report_.error_held_out = root(squared[1], table_.all_held_out);
  return {};
}

// ---- predicting ----

std::optional<std::size_t> find_id(const std::vector<std::uint64_t>& ids, std::uint64_t id) {
  const auto found = std::ranges::lower_bound(ids, id);
  if (found == ids.end() || *found != id) return {};
  return std::size_t(found - ids.begin());
}

std::string predictions(const Model& model, const std::vector<Rating>& wanted, Predicted& predicted) {
  std::string text;
  std::array<char, 128> line;
  for (const Rating& one : wanted) {
    const auto user = find_id(model.users, one.user), item = find_id(model.items, one.item);
    double value = model.mean;
    if (user && item)
      value += product(model.user_factors[*user], model.item_factors[*item]);
    else
      ++predicted.unknown;
    ++predicted.lines;
    std::snprintf(line.data(), line.size(), "%llu\t%llu\t%.6g\n", static_cast<unsigned long long>(one.user),
                  static_cast<unsigned long long>(one.item), value);
    text += line.data();
  }
  return text;
}

Status write_text(const apps::Team& team, const std::string& path, const std::string& text) {
  const Result<std::vector<std::uint64_t>> sizes = team.allgather(std::uint64_t(text.size()));
  if (!sizes.ok()) return sizes.status();
  std::uint64_t before = 0, total = 0;
  for (unsigned rank = 0; rank < team.size(); ++rank) {
    before += rank < team.rank() ? (*sizes)[rank] : 0;
    total += (*sizes)[rank];
  }
  const apps::Crew crew = crew_of(team);
  Result<apps::OutputFile> output = apps::OutputFile::create(crew, path, total);
  if (!output.ok()) return std::move(output).status();
  return output->commit(crew, output->file().write_at(before, std::as_bytes(std::span(text))));
}

}  // namespace

Result<Report> train(const apps::Team& team, const TrainOptions& options, const Time& time) {
  return TrainJob(team, options, time).run();
}

Result<Predicted> predict(const apps::Team& team, const PredictOptions& options) {
  Status status = team.agree(apps::check_output(options.output));
  if (!status.ok()) return status;
  const Result<Model> model = read_model(options.model);
  status = team.agree(model.status());
  if (!status.ok()) return status;
  const Result<std::vector<Rating>> wanted = read_ratings(team, options.input, false);
  if (!wanted.ok()) return wanted.status();
  Predicted predicted;
  status = write_text(team, options.output, predictions(*model, *wanted, predicted));
  if (!status.ok()) return status;
  std::array<double, 2> sums{double(predicted.lines), double(predicted.unknown)};
  if (status = team.sum(sums); !status.ok()) return status;
  return Predicted{std::uint64_t(sums[0]), std::uint64_t(sums[1])};
}

}  // namespace mf
