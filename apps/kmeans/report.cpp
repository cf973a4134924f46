#include "report.hpp"

#include "common/text.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace kmeans {
namespace {

unsigned long long wide(std::uint64_t number) {
  return number;
}

double recovering(const Report& report) {
  double seconds = 0;
  for (const apps::Recovery& recovery : report.recoveries) seconds += recovery.seconds;
  return seconds;
}

std::string ranks_text(const std::vector<polder::Rank>& ranks) {
  std::string text;
  for (const polder::Rank rank : ranks) text += (text.empty() ? "" : ", ") + std::to_string(rank);
  return text;
}

}  // namespace

std::string to_table(const Report& report) {
  std::string text;
  apps::append_line(text, "%llu points of %llu dimensions, %llu clusters; %u ranks, %s", wide(report.points),
                    wide(report.dims), wide(report.clusters), report.ranks, report.vectors.c_str());
  apps::append_line(text, "%llu iterations, %s; inertia %.10g", wide(report.iterations),
                    report.converged ? "converged" : "not converged", report.inertia);
  if (report.relocated > 0)
    apps::append_line(text, "%llu times a cluster had lost all its points and got one from far away",
                      wide(report.relocated));
  for (std::size_t i = 0; i < report.recoveries.size(); ++i)
    apps::append_line(text, "rank %s died; went on from iteration %llu after %.3f s",
                      ranks_text(report.recoveries[i].lost).c_str(), wide(report.resumed_at[i]),
                      report.recoveries[i].seconds);
  apps::append_line(
      text, "total %.3f s: reading %.3f, first centroids %.3f, iterations %.3f, writing %.3f, recovery %.3f",
      report.seconds, report.reading, report.starting, report.iterating, report.writing, recovering(report));
  apps::append_line(text,
                    "of the iterations, %.3f s were the search for the nearest centroid and %.3f s the sum over ranks",
                    report.searching, report.combining);
  return text;
}

std::string to_json(const Report& report) {
  nlohmann::ordered_json document{{"source", report.source},
                                  {"points", report.points},
                                  {"dims", report.dims},
                                  {"clusters", report.clusters},
                                  {"start", report.start},
                                  {"ranks", report.ranks},
                                  {"vectors", report.vectors},
                                  {"memory", report.memory},
                                  {"iterations", report.iterations},
                                  {"converged", report.converged},
                                  {"relocated", report.relocated},
                                  {"inertia", report.inertia},
                                  {"seconds",
                                   {{"total", report.seconds},
                                    {"reading", report.reading},
                                    {"starting", report.starting},
                                    {"iterating", report.iterating},
                                    {"searching", report.searching},
                                    {"combining", report.combining},
                                    {"writing", report.writing},
                                    {"recovery", recovering(report)}}}};
  document["recoveries"] = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < report.recoveries.size(); ++i)
    document["recoveries"].push_back({{"lost", report.recoveries[i].lost},
                                      {"iteration", report.resumed_at[i]},
                                      {"seconds", report.recoveries[i].seconds}});
  return document.dump(2) + "\n";
}

}  // namespace kmeans
