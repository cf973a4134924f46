#include "live/words.hpp"
#include "util/assert.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace polder::cli {
namespace {

using bootstrap::LongWait;
using bootstrap::local::RankState;

struct Verb {
  const char* one;
  const char* several;
};

Verb verb_of(const RankView& view) {
  switch (view.state) {
    case RankState::finished: return {"has left", "have left"};
    case RankState::failed: return {"has failed", "have failed"};
    default: break;
  }
  if (view.process == 'T' || view.process == 't') return {"is stopped", "are stopped"};
  if (view.wait) return {"waits", "wait"};
  if (view.process == 'Z') return {"has ended", "have ended"};
  if (view.state == RankState::starting) return {"has not joined the job", "have not joined the job"};
  if (view.process == 'R') return {"computes", "compute"};
  if (view.process == 'D') return {"sleeps in the kernel", "sleep in the kernel"};
  return {"sleeps, in no long wait of Polder", "sleep, in no long wait of Polder"};
}

// " in barrier of the world for ranks 1, 2"; empty for a rank that waits for nobody.
std::string object_of(const RankView& view) {
  if (!view.wait || view.state >= RankState::finished) return "";
  const LongWait& wait = *view.wait;
  const std::string text = wait.text();
  std::string object = " " + text;
  if (wait.missing == 0) return object;
  std::vector<Rank> whom(wait.whom.begin(), wait.whom.begin() + std::ptrdiff_t(wait.named()));
  std::sort(whom.begin(), whom.end());
  object += (text.starts_with("for ") ? " from " : " for ") + rank_names(whom);
  if (wait.missing > whom.size()) object += fmt::format(" and {} more", wait.missing - whom.size());
  return object;
}

std::vector<const RankView*> longest_first(const Snapshot& snapshot) {
  std::vector<const RankView*> order;
  for (const RankView& view : snapshot.ranks) order.push_back(&view);
  std::stable_sort(order.begin(), order.end(),
                   [](const RankView* one, const RankView* other) { return one->waited_s > other->waited_s; });
  return order;
}

// Ranks of which the same is to be said.
struct Company {
  std::string verb, object;
  double longest_s = 0;
  std::vector<Rank> ranks;
};

std::vector<Company> companies(const Snapshot& snapshot) {
  std::vector<Company> found;
  for (const RankView* view : longest_first(snapshot)) {
    const Verb verb = verb_of(*view);
    const std::string object = object_of(*view);
    const auto same = std::find_if(found.begin(), found.end(), [&](const Company& company) {
      return company.object == object && company.verb == verb.one;
    });
    if (same == found.end())
      found.push_back({verb.one, object, view->waited_s, {view->rank}});
    else
      same->ranks.push_back(view->rank);
  }
  for (Company& company : found) std::sort(company.ranks.begin(), company.ranks.end());
  return found;
}

std::string plural(const Snapshot& snapshot, const Company& company) {
  const auto first = std::find_if(snapshot.ranks.begin(), snapshot.ranks.end(),
                                  [&](const RankView& view) { return view.rank == company.ranks.front(); });
  const Verb verb = verb_of(*first);
  return company.ranks.size() == 1 ? verb.one : verb.several;
}

std::string cut(std::string text, std::size_t width) {
  if (text.size() > width) text.resize(width);
  return text;
}

std::string bytes_text(double bytes) {
  const char* const units[] = {"B", "kB", "MB", "GB"};
  std::size_t unit = 0;
  for (; bytes >= 1000 && unit + 1 < std::size(units); ++unit) bytes /= 1000;
  return fmt::format("{:.{}f} {}", bytes, bytes < 10 && unit != 0 ? 1 : 0, units[unit]);
}

std::string row(const RankView& view) {
  const RankView::Rates& rates = view.rates;
  std::string now = doing(view);
  if (view.wait) now += ", for " + duration_text(view.waited_s);
  return fmt::format("{:>5} {:>5.0f} % {:>6.0f} % {:>9.0f} {:>9.0f} {:>8}  {}", view.rank, 100 * rates.cores,
                     100 * rates.asleep, rates.sleeps, rates.collectives, bytes_text(rates.posted_bytes), now);
}

}  // namespace

std::string rank_names(std::span<const Rank> ranks) {
  POLDER_ASSERT(!ranks.empty() && std::ranges::is_sorted(ranks));
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  for (std::size_t first = 0; first < ranks.size();) {
    std::size_t last = first;
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
    if (last - first < 2) last = first;  // "1, 2" and not "1 to 2"
    if (first != 0) text += ", ";
    text += std::to_string(ranks[first]);
    if (last != first) text += " to " + std::to_string(ranks[last]);
    first = last + 1;
  }
  return text;
}

std::string duration_text(double seconds) {
  if (seconds < 1) return fmt::format("{:.0f} ms", seconds * 1e3);
  return fmt::format("{:.{}f} s", seconds, seconds < 10 ? 1 : 0);
}

std::string doing(const RankView& view) {
  return verb_of(view).one + object_of(view);
}

std::vector<std::string> sentences(const Snapshot& snapshot, std::size_t lines) {
  std::vector<std::string> result;
  const std::vector<Company> all = companies(snapshot);
  for (const Company& company : all) {
    if (result.size() + 1 == lines && all.size() > lines) {
      result.push_back(fmt::format("and {} other things that ranks do", all.size() - result.size()));
      break;
    }
    std::string text = rank_names(company.ranks) + " " + plural(snapshot, company) + company.object;
    if (company.longest_s > 0) text += ", for " + duration_text(company.longest_s);
    result.push_back(std::move(text));
  }
  return result;
}

std::vector<std::string> table(const Snapshot& snapshot, std::size_t width, std::size_t height) {
  std::vector<std::string> lines{cut(" rank   cores  asleep   waits/s  colls./s   sent/s  now", width)};
  const auto order = longest_first(snapshot);
  for (const RankView* view : order) {
    if (lines.size() + 1 == height && order.size() > height - 1) {
      lines.push_back(cut(fmt::format("and {} ranks more", order.size() - (lines.size() - 1)), width));
      break;
    }
    lines.push_back(cut(row(*view), width));
  }
  return lines;
}

}  // namespace polder::cli
