#include "command.hpp"
#include "launch/run_options.hpp"
#include "trace/convert/merge.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

namespace polder::cli {
namespace {

void print(const trace::MergeReport& report, const std::string& output) {
  fmt::print("{}: {} ranks, {} events, {} arrows, {:.6f} s\n", output, report.files.size(), report.events, report.flows,
             double(report.duration_ns) * 1e-9);
  for (const std::string& remark : report.remarks) fmt::print("note: {}\n", remark);
}

int merge(const std::string& directory, std::string output) {
  if (output.empty()) output = directory + "/trace.json";
  const auto report = trace::merge_to_chrome_file(directory, output);
  if (!report) {
    fmt::print(stderr, "polder trace merge: {}\n", report.status().to_string());
    return 1;
  }
  print(*report, output);
  return 0;
}

}  // namespace

int trace_command(const Arguments& arguments) {
  CLI::App app("Works on the traces that polder run --trace DIR wrote.", "polder trace");
  app.require_subcommand(1);
  std::string directory;
  std::string output;
  CLI::App* merging = app.add_subcommand(
      "merge", "make one file for Perfetto (ui.perfetto.dev) or chrome://tracing of all ranks' files");
  merging->add_option("DIR", directory, "the folder with one trace file for each rank")->required();
  merging->add_option("-o,--output", output, "the file to write (default: DIR/trace.json)")->option_text("FILE");
  int exit_code = 0;
  if (!parse(app, arguments, exit_code)) return exit_code;
  return merge(directory, output);
}

}  // namespace polder::cli
