#include "rating_table.hpp"

#include "common/exchange.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <string>
#include <unordered_map>

namespace mf {
namespace {

struct Counted {
  std::uint64_t id = 0;
  std::uint64_t count = 0;
};

// Ids of all ranks, ascending, each once, with how often it occurs.
Result<std::vector<Counted>> count_ids(const apps::Team& team, const std::vector<Rating>& ratings,
                                       std::uint64_t Rating::*id) {
  std::unordered_map<std::uint64_t, std::uint64_t> counts;
  for (const Rating& rating : ratings) ++counts[rating.*id];
  std::vector<Counted> mine;
  for (const auto& [which, count] : counts) mine.push_back({which, count});
  Result<std::vector<Counted>> all = apps::gather_all<Counted>(team, mine);
  if (!all.ok()) return all;
  std::sort(all->begin(), all->end(), [](const Counted& a, const Counted& b) { return a.id < b.id; });
  std::vector<Counted> merged;
  for (const Counted& one : *all) {
    if (merged.empty() || merged.back().id != one.id)
      merged.push_back(one);
    else
      merged.back().count += one.count;
  }
  return merged;
}

// Cut where each rank has its share of the ratings.
std::vector<std::size_t> cut(const std::vector<Counted>& users, unsigned ranks) {
  std::uint64_t total = 0;
  for (const Counted& user : users) total += user.count;
  std::vector<std::size_t> first{0};
  std::uint64_t before = 0;
  for (std::size_t user = 0; user < users.size(); ++user) {
    before += users[user].count;
    while (first.size() < ranks && double(before) >= double(total) * double(first.size()) / ranks)
      first.push_back(user + 1);
  }
  first.resize(ranks + 1, users.size());
  return first;
}

std::vector<std::uint64_t> ids_of(const std::vector<Counted>& counted) {
  std::vector<std::uint64_t> ids;
  for (const Counted& one : counted) ids.push_back(one.id);
  return ids;
}

std::size_t place_of(const std::vector<std::uint64_t>& ids, std::uint64_t id) {
  return std::size_t(std::lower_bound(ids.begin(), ids.end(), id) - ids.begin());
}

Status check_counts(const std::vector<Counted>& users, const std::vector<Counted>& items) {
  constexpr std::size_t kMost = std::numeric_limits<std::uint32_t>::max();
  if (users.empty()) return {Code::invalid_argument, "there are no ratings"};
  if (users.size() > kMost || items.size() > kMost)
    return {Code::limit, "there are more than 4,294,967,295 users or items"};
  return {};
}

// The same for a rating wherever it lies.
bool is_held_out(const HeldOut& held_out, const Rating& rating) {
  constexpr std::uint64_t kHeldOut = 11;
  return drawn_share(held_out.seed ^ rating.item, kHeldOut, rating.user) < held_out.share;
}

}  // namespace

Result<RatingTable> deal(const apps::Team& team, const std::vector<Rating>& ratings, const HeldOut& held_out,
                         std::optional<double> mean) {
  const Result<std::vector<Counted>> users = count_ids(team, ratings, &Rating::user);
  if (!users.ok()) return users.status();
  const Result<std::vector<Counted>> items = count_ids(team, ratings, &Rating::item);
  if (!items.ok()) return items.status();
  Status status = team.agree(check_counts(*users, *items));
  if (!status.ok()) return status;

  RatingTable table;
  table.users = ids_of(*users);
  table.items = ids_of(*items);
  table.first_user = cut(*users, team.size());
  std::vector<std::vector<Rating>> parts(team.size());
  for (const Rating& rating : ratings) {
    const std::size_t user = place_of(table.users, rating.user);
    const auto next = std::upper_bound(table.first_user.begin() + 1, table.first_user.end() - 1, user);
    parts[std::size_t(next - table.first_user.begin()) - 1].push_back(rating);
  }
  const Result<std::vector<Rating>> own = apps::send_to_each(team, parts);
  if (!own.ok()) return own.status();

  const std::size_t first = table.first_user[team.rank()];
  std::array<double, 3> sums{};
  for (const Rating& rating : *own) {
    const bool is_out = is_held_out(held_out, rating);
    const Cell cell{std::uint32_t(place_of(table.users, rating.user) - first),
                    std::uint32_t(place_of(table.items, rating.item)), rating.value};
    (is_out ? table.held_out : table.learned).push_back(cell);
    sums[is_out ? 1 : 0] += 1;
    sums[2] += is_out ? 0 : rating.value;
  }
  status = team.sum(sums);
  if (!status.ok()) return status;
  table.all_learned = std::uint64_t(sums[0]);
  table.all_held_out = std::uint64_t(sums[1]);
  table.mean = mean.value_or(sums[0] == 0 ? 0 : sums[2] / sums[0]);
  for (std::vector<Cell>* cells : {&table.learned, &table.held_out})
    for (Cell& cell : *cells) cell.value -= table.mean;
  return table;
}

}  // namespace mf
