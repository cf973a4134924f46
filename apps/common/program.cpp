#include "common/program.hpp"

#include "common/file.hpp"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>

namespace apps {

int run_in_job(const std::string& name, double patience, const std::function<Outcome(const Team&)>& body) {
  // A file that outgrows a limit is an error to report and not a signal to die of.
  std::signal(SIGXFSZ, SIG_IGN);
  auto runtime = polder::Runtime::create();
  if (!runtime.ok()) {
    std::fprintf(stderr, "%s: cannot start: %s\n", name.c_str(), runtime.status().to_string().c_str());
    return 1;
  }
  const Team team(**runtime, patience);
  const Outcome outcome = body(team);
  print_error(name, outcome.status, team.rank());
  if (lost_others(outcome.status)) {
    std::fflush(nullptr);
    std::_Exit(1);
  }
  return outcome.status.ok() ? outcome.code : 1;
}

void print_error(const std::string& name, const Status& status, unsigned rank) {
  if (status.message().empty()) return;
  std::fprintf(stderr, "%s: rank %u: %s\n", name.c_str(), rank, std::string(status.message()).c_str());
}

Status write_text(const std::string& text, const std::string& path) {
  std::ofstream file(path);
  file << text;
  file.close();
  return file ? Status() : file_error("write the report", path);
}

Status tell(const Team& team, const std::string& table, const std::string& json, const std::string& path) {
  Status status;
  if (team.rank() == 0) {
    std::fputs(table.c_str(), stdout);
    std::fflush(stdout);
    if (!path.empty()) status = write_text(json, path);
  }
  return team.agree(status);
}

}  // namespace apps
