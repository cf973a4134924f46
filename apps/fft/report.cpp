#include "report.hpp"

#include "common/text.hpp"
#include "field.hpp"

#include <cmath>

#include <nlohmann/json.hpp>

namespace fft {
namespace {

double gigaflops(const Report& report) {
  return report.seconds > 0 ? report.flops() / report.seconds * 1e-9 : 0;
}

}  // namespace

double Report::flops() const {
  const double all = double(extents[0]) * double(extents[1]) * double(extents[2]);
  return 5 * all * std::log2(all);
}

std::string to_table(const Report& report) {
  std::string text;
  apps::append_line(text, "%s, %s, by %u x %u ranks (%s), lines by %s", text_of(report.extents).c_str(),
                    report.inverse ? "inverse" : "forward", report.grid.rows, report.grid.columns,
                    report.grid.columns == 1 ? "slabs" : "pencils", report.lines.c_str());
  apps::append_line(text, "%.4f s, %.2f GFlop/s; computing %.4f s, waiting for others %.4f s; %u pieces",
                    report.seconds, gigaflops(report), report.computing, report.waiting, report.pieces);
  apps::append_line(text, "reading %.4f s, writing %.4f s; %s a rank at most", report.reading, report.writing,
                    apps::megabytes(report.memory).c_str());
  if (report.samples > 0)
    apps::append_line(text, "%llu elements computed anew: off by %.2g of what is usual%s",
                      static_cast<unsigned long long>(report.samples), report.error,
                      report.wrong() ? ", MORE THAN ROUNDING" : ", which is rounding");
  return text;
}

std::string to_json(const Report& report) {
  const nlohmann::json json{
      {"extents", report.extents},     {"rows", report.grid.rows},        {"columns", report.grid.columns},
      {"inverse", report.inverse},     {"pieces", report.pieces},         {"lines", report.lines},
      {"memory_bytes", report.memory}, {"reading_s", report.reading},     {"seconds", report.seconds},
      {"writing_s", report.writing},   {"computing_s", report.computing}, {"waiting_s", report.waiting},
      {"gflops", gigaflops(report)},   {"samples", report.samples},       {"error", report.error},
      {"bound", report.bound}};
  return json.dump(2) + "\n";
}

}  // namespace fft
