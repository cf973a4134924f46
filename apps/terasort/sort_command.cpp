#include "sort_command.hpp"

#include "common/command_line.hpp"

#include <csignal>
#include <cstdio>
#include <fstream>

namespace terasort {
void add_sort_arguments(CLI::App& app, SortOptions& options) {
  const CLI::AsSizeValue size(false);
  app.add_option("IN", options.input, "file of 100-byte records")->required();
  app.add_option("OUT", options.output, "sorted file; may be IN, and appears when it is complete")->required();
  app.add_option("--buffer", options.buffer_bytes, "bytes per message of the shuffle (k, M)")
      ->transform(size)
      ->check(apps::between(std::uint64_t{100}, std::uint64_t{1} << 30))
      ->capture_default_str();
  app.add_option("--chunk", options.chunk_bytes, "bytes per read")
      ->transform(size)
      ->check(apps::between(std::uint64_t{100}, std::uint64_t{1} << 30))
      ->capture_default_str();
  app.add_option("--write-chunk", options.write_bytes, "bytes per write")
      ->transform(size)
      ->check(apps::between(std::uint64_t{100}, std::uint64_t{1} << 30))
      ->capture_default_str();
  app.add_option("--headroom", options.headroom, "room for records per rank, over an even share")
      ->check(apps::between(1.0, 1e6))
      ->capture_default_str();
  app.add_option("--memory", options.memory, "bytes that the ranks of a node may use (default: what is available)")
      ->transform(size);
  app.add_option("--patience", options.patience, "seconds of silence after which the other ranks count as lost")
      ->check(apps::between(0.1, 1e6))
      ->capture_default_str();
  app.add_flag("--fsync", options.sync, "return when the output is on the disk");
  app.add_flag("!--no-progress", options.progress, "no progress line, not even on a terminal");
  app.add_option("--json", options.json, "write the report here");
}

int run_sort(Team& team, Shuffle& shuffle, const SortOptions& options, const char* program) {
  Result<SortReport> report = sort_file(team, shuffle, options);
  if (!report.ok()) {
    print_error(report.status(), team.rank());
    return 1;
  }
  report->program = program;
  Status status;
  if (team.rank() == 0) {
    std::fputs(to_table(*report).c_str(), stdout);
    std::fflush(stdout);
    status = write_json(*report, options);
  }
  status = agree(team, status);
  print_error(status, team.rank());
  return status.ok() ? 0 : 1;
}

Status write_json(const SortReport& report, const SortOptions& options) {
  if (options.json.empty()) return {};
  std::ofstream file(options.json);
  file << to_json(report);
  file.close();
  return file ? Status() : file_error("write the report", options.json);
}

void print_error(const Status& status, unsigned rank) {
  if (status.message().empty()) return;
  const std::string message(status.message());
  std::fprintf(stderr, "terasort: rank %u: %s\n", rank, message.c_str());
}

void ignore_file_size_signal() {
  std::signal(SIGXFSZ, SIG_IGN);
}

}  // namespace terasort
