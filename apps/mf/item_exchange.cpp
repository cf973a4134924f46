#include "item_exchange.hpp"

#include <polder/stale_table.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace mf {
namespace {

using polder::DataType;
using polder::Reduction;
using polder::Staleness;

class ItemSums final : public ItemExchange {
 public:
  ItemSums(const apps::Team& team, const Factors& items, std::unique_ptr<polder::Stale> stale)
      : team_(team),
        begun_with_(items.values()),
        // The last element counts the ranks that have failed.
        change_(items.values().size() + 1),
        sum_(change_.size()),
        stale_(std::move(stale)) {}

  Result<Staleness> add_up(std::span<const double> change, bool fails, std::uint64_t slack, Factors& items) override {
    std::ranges::copy(change, change_.begin());
    change_.back() = fails;
    auto told = stale_->allreduce_ssp(change_.data(), sum_.data(), slack, team_.patience());
    if (!told.ok()) return team_.named("stale allreduce", told.status());
    take(items);
    return told;
  }
  Status flush(Factors& items) override {
    if (Status status = stale_->flush(sum_.data(), team_.patience()).status(); !status.ok())
      return team_.named("stale allreduce", status);
    take(items);
    return {};
  }
  bool has_failure() const override { return sum_.back() != 0; }

 private:
  void take(Factors& items) const {
    for (std::size_t i = 0; i < begun_with_.size(); ++i) items.values()[i] = begun_with_[i] + sum_[i];
  }

  const apps::Team& team_;
  const std::vector<double> begun_with_;
  std::vector<double> change_, sum_;
  std::unique_ptr<polder::Stale> stale_;
};

class ItemRows final : public ItemExchange {
 public:
  ItemRows(const apps::Team& team, const RatingTable& table, const Factors& items)
      : team_(team), begun_with_(items), last_(table.items.size()), failures_(items.length()) {
    for (const auto* cells : {&table.learned, &table.held_out})
      for (const Cell& cell : *cells) own_.push_back(cell.item);
    std::ranges::sort(own_);
    own_.erase(std::ranges::unique(own_).begin(), own_.end());
  }

  Status begin() {
    auto row = polder::reduction(Reduction::sum, DataType::float64, begun_with_.length());
    if (!row.ok()) return row.status();
    // The last row counts the ranks that have failed.
    const auto initial = [this](std::uint64_t which, void* values) {
      auto* const to = static_cast<double*>(values);
      if (which == last_)
        std::fill_n(to, begun_with_.length(), 0.0);
      else
        std::ranges::copy(std::as_const(begun_with_)[which], to);
    };
    auto made = polder::StaleTable::create(
        team_.runtime().world(), {.rows = last_ + 1, .row = *row, .initial = initial, .cached_rows = own_.size() + 1},
        team_.patience());
    if (!made.ok()) return team_.named("stale table", made.status());
    table_ = *std::move(made);
    return {};
  }

  Result<Staleness> add_up(std::span<const double> change, bool fails, std::uint64_t slack, Factors& items) override {
    const std::size_t length = items.length();
    const std::vector<double> one(length, 1.0);
    Status status = fails ? table_->update(last_, one.data()) : Status();
    for (std::size_t i = 0; status.ok() && !fails && i < own_.size(); ++i) {
      const auto step = change.subspan(own_[i] * length, length);
      if (std::ranges::any_of(step, [](double x) { return x != 0; })) status = table_->update(own_[i], step.data());
    }
    if (status.ok()) status = table_->tick(team_.patience());
    if (!status.ok()) return team_.named("stale table", status);
    auto told = read(own_, slack, items);
    const std::uint64_t before = std::exchange(bytes_, table_->bytes());
    if (told.ok()) told->bytes = bytes_ - before;
    return told;
  }
  Status flush(Factors& items) override {
    Status status = table_->flush(team_.patience());
    if (!status.ok()) return team_.named("stale table", status);
    std::vector<std::uint64_t> all(last_);
    for (std::uint64_t item = 0; item < last_; ++item) all[item] = item;
    return read(all, 0, items).status();
  }
  bool has_failure() const override { return failures_[0] != 0; }

 private:
  Result<Staleness> read(const std::vector<std::uint64_t>& which, std::uint64_t slack, Factors& items) {
    std::vector<std::uint64_t> rows = which;
    rows.push_back(last_);
    std::vector<double> values(rows.size() * items.length());
    auto told = table_->read(rows, values.data(), slack, team_.patience());
    if (!told.ok()) return team_.named("stale table", told.status());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto row = std::span(values).subspan(i * items.length(), items.length());
      std::ranges::copy(row, rows[i] == last_ ? failures_.data() : items[rows[i]].data());
    }
    return told;
  }

  const apps::Team& team_;
  const Factors begun_with_;
  const std::uint64_t last_;
  std::vector<std::uint64_t> own_;  // items that this rank's ratings are of
  std::vector<double> failures_;
  std::unique_ptr<polder::StaleTable> table_;
  std::uint64_t bytes_ = 0;  // that this rank has sent
};

}  // namespace

Result<std::unique_ptr<ItemExchange>> exchange_sums(const apps::Team& team, const Factors& items,
                                                    polder::StaleShape shape) {
  auto reduction = polder::reduction(Reduction::sum, DataType::float64, items.values().size() + 1);
  if (!reduction.ok()) return reduction.status();
  auto made = polder::Stale::create(team.runtime().world(), {.reduction = *reduction, .shape = shape}, team.patience());
  if (!made.ok()) return team.named("stale allreduce", made.status());
  return std::unique_ptr<ItemExchange>(std::make_unique<ItemSums>(team, items, *std::move(made)));
}

Result<std::unique_ptr<ItemExchange>> exchange_rows(const apps::Team& team, const RatingTable& table,
                                                    const Factors& items) {
  auto rows = std::make_unique<ItemRows>(team, table, items);
  if (Status status = rows->begin(); !status.ok()) return status;
  return std::unique_ptr<ItemExchange>(std::move(rows));
}

}  // namespace mf
