#include "command.hpp"
#include "launch/run_options.hpp"
#include "trace/analyse/analysis.hpp"
#include "trace/convert/convert.hpp"
#include "trace/convert/output.hpp"
#include "trace/report/page.hpp"
#include "trace/report/stats.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <cstdio>
#include <filesystem>
#include <functional>
#include <string>
#include <system_error>
#include <vector>

namespace polder::cli {
namespace {

struct TraceWords {
  std::string directory;
  std::string other;
  std::string format = "chrome";
  std::string output;
  bool json = false;
};

// Where to say what was written: not into it, where that is a pipe or a device, which may be standard output.
std::FILE* speech_about(const std::string& output) {
  std::error_code ignored;
  const std::filesystem::file_status status = std::filesystem::status(output, ignored);
  const bool is_stored = std::filesystem::is_regular_file(status) || std::filesystem::is_directory(status);
  return is_stored ? stdout : stderr;
}

int failed(const char* what, const Status& status) {
  fmt::print(stderr, "polder trace {}: {}\n", what, status.to_string());
  return status.code() == Code::system ? int(kExitLauncher) : 1;
}

int convert(const char* what, const TraceWords& words) {
  const auto report = trace::convert(words.directory, words.format, words.output);
  if (!report) return failed(what, report.status());
  std::FILE* const speech = speech_about(report->outputs.front());
  fmt::print(speech, "{}: {} ranks, {} events, {} arrows, {:.6f} s\n", fmt::join(report->outputs, " "), report->ranks,
             report->events, report->flows, double(report->duration_ns) * 1e-9);
  for (const std::string& remark : report->remarks) fmt::print(speech, "note: {}\n", remark);
  return 0;
}

int stats(const TraceWords& words) {
  const auto analysis = trace::analyse_directory(words.directory);
  if (!analysis) return failed("stats", analysis.status());
  fmt::print("{}", words.json ? trace::stats_json(*analysis) : trace::stats_text(*analysis));
  return 0;
}

int report(const TraceWords& words) {
  const auto analysis = trace::analyse_directory(words.directory);
  if (!analysis) return failed("report", analysis.status());
  const std::string path = words.output.empty() ? words.directory + "/report.html" : words.output;
  trace::Output page(path);
  page.write(trace::page_html(*analysis, "Trace of " + words.directory));
  if (const Status status = page.close(); !status.ok()) return failed("report", status);
  std::FILE* const speech = speech_about(path);
  fmt::print(speech, "{}: {} ranks, {} events; open it in a browser\n", path, analysis->ranks, analysis->events);
  for (const std::string& remark : analysis->remarks) fmt::print(speech, "note: {}\n", remark);
  return 0;
}

int diff(const TraceWords& words) {
  const auto before = trace::analyse_directory(words.directory);
  if (!before) return failed("diff", before.status());
  const auto after = trace::analyse_directory(words.other);
  if (!after) return failed("diff", after.status());
  fmt::print("{}", trace::diff_text(*before, *after));
  return 0;
}

CLI::App* command(CLI::App& app, TraceWords& words, const char* name, const char* help) {
  CLI::App* added = app.add_subcommand(name, help);
  added->add_option("DIR", words.directory, "the folder with one trace file for each rank")->required();
  return added;
}

void add_output(CLI::App* command, TraceWords& words, const char* otherwise) {
  command->add_option("-o,--output", words.output, fmt::format("the file to write (default: {})", otherwise))
      ->option_text("FILE");
}

}  // namespace

int trace_command(const Arguments& arguments) {
  CLI::App app("Works on the traces that polder run --trace DIR, or POLDER_TRACE=DIR, wrote.", "polder trace");
  app.require_subcommand(1);
  TraceWords words;
  std::function<int()> run;

  CLI::App* stats_of = command(app, words, "stats", "say where the time went, who waited for whom, and what to change");
  stats_of->add_flag("--json", words.json, "as JSON, for programs");
  stats_of->callback([&] { run = [&] { return stats(words); }; });

  CLI::App* report_of = command(app, words, "report", "make one page for a browser: losses in words, timeline, tables");
  add_output(report_of, words, "DIR/report.html");
  report_of->callback([&] { run = [&] { return report(words); }; });

  CLI::App* diff_of = command(app, words, "diff", "say what became slower from one run to another, and why");
  diff_of->add_option("OTHER", words.other, "the folder of the later run")->required();
  diff_of->callback([&] { run = [&] { return diff(words); }; });

  CLI::App* converting = command(app, words, "convert", "make files for Paraver, Perfetto and others");
  std::vector<std::string> names;
  for (const trace::Format& format : trace::formats()) names.emplace_back(format.name);
  converting->add_option("--to", words.format, fmt::format("{}", fmt::join(names, ", ")))
      ->required()
      ->check(CLI::IsMember(names))
      ->option_text("FORMAT");
  add_output(converting, words, "DIR/trace and what the format ends in");
  converting->callback([&] { run = [&] { return convert("convert", words); }; });

  CLI::App* merging = command(app, words, "merge", "convert --to chrome, by its older name");
  add_output(merging, words, "DIR/trace.json");
  merging->callback([&] { run = [&] { return convert("merge", words); }; });

  int exit_code = 0;
  if (!parse(app, arguments, exit_code)) return exit_code;
  return run();
}

}  // namespace polder::cli
