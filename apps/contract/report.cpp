#include "report.hpp"

#include "common/text.hpp"

#include <array>

#include <nlohmann/json.hpp>

namespace contract {
namespace {

unsigned long long wide(std::uint64_t number) {
  return number;
}

double gflops(const Report& report) {
  return report.seconds > 0 ? report.flops() / report.seconds * 1e-9 : 0;
}

}  // namespace

double Report::flops() const {
  const bool complex_numbers = number.starts_with("<c");
  return (complex_numbers ? 8.0 : 2.0) * double(batches) * double(m) * double(n) * double(k);
}

Status collect(const apps::Team& team, const ProductNumbers& mine, Report& report) {
  std::array<double, 5> sums{mine.computing, mine.flow.waiting, double(mine.flow.fetched_blocks),
                             double(mine.flow.fetched_bytes), double(mine.flow.far_reads)};
  std::array<double, 5> most{-report.reading, -mine.seconds, -report.writing, -mine.computing,
                             -double(mine.flow.fetched_bytes)};
  Status status = team.sum(sums);
  if (status.ok()) status = team.minimum(most);
  if (!status.ok()) return status;
  report.computing = sums[0] / team.size();
  report.waiting = sums[1] / team.size();
  report.fetched = std::uint64_t(sums[2]);
  report.fetched_bytes = std::uint64_t(sums[3]);
  report.kept = std::uint64_t(sums[4]) - report.fetched;
  report.reading = -most[0];
  report.seconds = -most[1];
  report.writing = -most[2];
  report.most_computing = -most[3];
  report.most_bytes = std::uint64_t(-most[4]);
  return {};
}

std::string to_table(const Report& report) {
  std::string text;
  apps::append_line(text, "%s of %s: %llu x (%llu x %llu) (%llu x %llu)", report.notation.c_str(),
                    report.number.c_str(), wide(report.batches), wide(report.m), wide(report.k), wide(report.k),
                    wide(report.n));
  apps::append_line(text, "%u ranks of %u threads, %s; blocks of %llu rows, %llu columns, %llu inner, %s", report.ranks,
                    report.threads, report.kernel.c_str(), wide(report.block_rows), wide(report.block_columns),
                    wide(report.block_inner), report.distribution.c_str());
  apps::append_line(text, "product: %.4f s, %.2f GFLOP/s; a rank computed %.4f s and waited %.4f s on average",
                    report.seconds, gflops(report), report.computing, report.waiting);
  apps::append_line(text, "reading %.3f s, writing %.3f s; %llu blocks (%.1f MB) came from other nodes, %llu were kept",
                    report.reading, report.writing, wide(report.fetched), double(report.fetched_bytes) * 1e-6,
                    wide(report.kept));
  if (report.samples > 0)
    apps::append_line(text, "error at %llu elements: %.1e of what was added up (rounding: up to %.1e)%s",
                      wide(report.samples), report.error, report.bound, report.wrong() ? ": WRONG" : "");
  return text;
}

std::string to_json(const Report& report) {
  const nlohmann::ordered_json document{
      {"notation", report.notation},
      {"number", report.number},
      {"kernel", report.kernel},
      {"ranks", report.ranks},
      {"threads", report.threads},
      {"batches", report.batches},
      {"m", report.m},
      {"n", report.n},
      {"k", report.k},
      {"block", {report.block_rows, report.block_columns, report.block_inner}},
      {"distribution", report.distribution},
      {"memory", report.memory},
      {"seconds", report.seconds},
      {"gflops", gflops(report)},
      {"computing", {{"mean", report.computing}, {"most", report.most_computing}}},
      {"waiting", report.waiting},
      {"reading", report.reading},
      {"writing", report.writing},
      {"fetched",
       {{"blocks", report.fetched},
        {"bytes", report.fetched_bytes},
        {"most_bytes", report.most_bytes},
        {"kept", report.kept}}},
      {"error", {{"samples", report.samples}, {"largest", report.error}, {"bound", report.bound}}}};
  return document.dump(2) + "\n";
}

}  // namespace contract
