#include "report.hpp"

#include "common/exchange.hpp"
#include "common/text.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <nlohmann/json.hpp>

namespace mf {
namespace {

constexpr std::size_t kMoments = 200;  // of a curve, at most

struct RankPoint {
  Point point;
  unsigned rank = 0;
};

// Merges what the ranks have noted, by time.
std::vector<Moment> curve_of(std::vector<RankPoint> points, unsigned ranks, std::uint64_t held_out) {
  std::sort(points.begin(), points.end(),
            [](const RankPoint& a, const RankPoint& b) { return a.point.seconds < b.point.seconds; });
  std::vector<double> squared(ranks);
  std::vector<std::uint64_t> iterations(ranks);
  std::vector<Moment> curve;
  unsigned known = 0;
  double error = 0, done = 0;
  for (const RankPoint& one : points) {
    known += iterations[one.rank] == 0;
    error += one.point.squared - squared[one.rank];
    done += double(one.point.iteration) - double(iterations[one.rank]);
    squared[one.rank] = one.point.squared;
    iterations[one.rank] = one.point.iteration;
    // Differences may round to less than 0. What is not a number stays so.
    if (known == ranks)
      curve.push_back({one.point.seconds, std::sqrt((error < 0 ? 0 : error) / double(held_out)), done / ranks});
  }
  return curve;
}

std::vector<Moment> thinned(const std::vector<Moment>& curve) {
  if (curve.size() <= kMoments) return curve;
  std::vector<Moment> some;
  for (std::size_t i = 0; i < kMoments; ++i) some.push_back(curve[i * (curve.size() - 1) / (kMoments - 1)]);
  return some;
}

}  // namespace

Status collect(const apps::Team& team, const RatingTable& table, const Course& course, Report& report) {
  std::vector<RankPoint> mine;
  for (const Point& point : course.points) mine.push_back({point, team.rank()});
  Result<std::vector<RankPoint>> all = apps::gather_all<RankPoint>(team, mine);
  if (!all.ok()) return std::move(all).status();
  std::array<double, 5> sums{course.seconds, course.waiting, course.communicating, course.staleness,
                             double(course.bytes)};
  if (Status status = team.sum(sums); !status.ok()) return status;
  const Result<std::uint64_t> stalest = team.maximum(course.stalest);
  if (!stalest.ok()) return stalest.status();
  report.seconds = sums[0] / team.size();
  report.waiting = sums[1] / team.size();
  report.communicating = sums[2] / team.size();
  report.staleness = sums[3] / team.size();
  report.bytes = std::uint64_t(sums[4]);
  report.stalest = *stalest;
  if (table.all_held_out == 0) return {};
  const std::vector<Moment> curve = curve_of(*std::move(all), team.size(), table.all_held_out);
  const auto reached = std::ranges::find_if(curve, [&](const Moment& moment) { return moment.error <= report.target; });
  if (report.target > 0 && reached != curve.end()) report.reached = *reached;
  if (team.rank() == 0) report.curve = thinned(curve);
  return {};
}

std::string to_table(const Report& report) {
  std::string text;
  apps::append_line(text, "%llu ratings by %llu users of %llu items, %llu of them held out; %u factors",
                    static_cast<unsigned long long>(report.learned) + report.held_out,
                    static_cast<unsigned long long>(report.users), static_cast<unsigned long long>(report.items),
                    static_cast<unsigned long long>(report.held_out), report.factors);
  apps::append_line(text, "%u ranks, %s, slack %llu: %llu iterations, %.3f s, of which %.1f %% waiting for others",
                    report.ranks, report.shape.c_str(), static_cast<unsigned long long>(report.slack),
                    static_cast<unsigned long long>(report.iterations), report.seconds,
                    report.seconds > 0 ? 100 * report.waiting / report.seconds : 0.0);
  apps::append_line(text, "staleness: %.2f iterations on average, %llu at most; %.1f MB sent", report.staleness,
                    static_cast<unsigned long long>(report.stalest), double(report.bytes) * 1e-6);
  apps::append_line(text, "error (root mean square): %.5f of what was learned, %.5f of what was held out",
                    report.error_learned, report.error_held_out);
  if (report.floor > 0) apps::append_line(text, "the least to be expected: %.5f", report.floor);
  if (report.target > 0 && report.misses_target()) apps::append_line(text, "%.5f was not reached", report.target);
  if (report.target > 0 && !report.misses_target())
    apps::append_line(text, "%.5f was reached after %.3f s, %.1f iterations", report.target, report.reached.seconds,
                      report.reached.iterations);
  return text;
}

std::string to_json(const Report& report) {
  nlohmann::ordered_json document{{"source", report.source},
                                  {"learned", report.learned},
                                  {"held_out", report.held_out},
                                  {"users", report.users},
                                  {"items", report.items},
                                  {"factors", report.factors},
                                  {"ranks", report.ranks},
                                  {"shape", report.shape},
                                  {"slack", report.slack},
                                  {"iterations", report.iterations},
                                  {"seconds", report.seconds},
                                  {"waiting", report.waiting},
                                  {"communicating", report.communicating},
                                  {"staleness", {{"mean", report.staleness}, {"most", report.stalest}}},
                                  {"bytes", report.bytes},
                                  {"error", {{"learned", report.error_learned}, {"held_out", report.error_held_out}}}};
  if (report.floor > 0) document["floor"] = report.floor;
  if (report.target > 0) document["target"] = report.target;
  if (report.target > 0 && !report.misses_target())
    document["reached"] = {{"seconds", report.reached.seconds}, {"iterations", report.reached.iterations}};
  document["curve"] = nlohmann::ordered_json::array();
  for (const Moment& moment : report.curve)
    document["curve"].push_back(
        {{"seconds", moment.seconds}, {"error", moment.error}, {"iterations", moment.iterations}});
  return document.dump(2) + "\n";
}

}  // namespace mf
