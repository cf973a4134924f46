// `polder top`: what the ranks of a running job do now, for who stands beside it.
#include "command.hpp"

#include "bootstrap/local/attach.hpp"
#include "bootstrap/local/job_page.hpp"
#include "launch/processes.hpp"
#include "launch/run_options.hpp"
#include "live/screen.hpp"
#include "live/snapshot.hpp"
#include "live/words.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace polder::cli {
namespace {

namespace local = bootstrap::local;

constexpr std::chrono::milliseconds kInterval{500};
constexpr std::size_t kLineWidth = 200;
constexpr std::string_view kProc = "/proc/";

int fail(const std::string& sentence) {
  fmt::print(stderr, "polder top: {}\n", sentence);
  return 1;
}

// "/proc/PID/fd/N" of the launcher with this process id, or of the only job there is; else a sentence that says why not.
Result<std::string> find_page(const std::string& job) {
  if (job.find('/') != std::string::npos) return job;
  std::vector<std::string> pages;
  for (const std::string& page : values_in_environments(local::kJobVariable))
    if (job.empty() || page.starts_with(std::string(kProc) + job + "/")) pages.push_back(page);
  if (pages.size() == 1) return pages.front();
  if (pages.empty())
    return Status(Code::invalid_argument, job.empty() ? "no job of `polder run` runs here that you may see"
                                                      : "process " + job + " is no `polder run` with a job");
  std::string launchers;
  for (const std::string& page : pages)
    launchers += " " + page.substr(kProc.size(), page.find('/', kProc.size()) - kProc.size());
  return Status(Code::invalid_argument, "several jobs run here; name the process of one:" + launchers);
}

bool runs(const Snapshot& snapshot) {
  return std::any_of(snapshot.ranks.begin(), snapshot.ranks.end(), [](const RankView& view) {
    return view.state <= local::RankState::attached && view.process != '?' && view.process != 'Z';
  });
}

}  // namespace

int top_command(const Arguments& arguments) {
  CLI::App app("Shows what the ranks of a running job do, twice a second, until the job ends.", "polder top");
  std::string job;
  bool once = false;
  app.add_option("JOB", job, "process id of its `polder run`; not needed where only one runs")->option_text("");
  app.add_flag("--once", once, "one table, of half a second, and no more");
  int exit_code = 0;
  if (!parse(app, arguments, exit_code)) return exit_code;

  const auto path = find_page(job);
  if (!path) return fail(std::string(path.status().message()));
  const auto page = local::JobPage::open(*path);
  if (!page) return fail(std::string(page.status().message()));
  Observer observer(**page);
  Screen screen(STDOUT_FILENO, "");
  Snapshot now = observer.look();
  if (!once) screen.show(now);
  do {
    std::this_thread::sleep_for(kInterval);
    now = observer.look();
    if (!once) screen.show(now);
  } while (!once && runs(now));
  if (once)
    for (const std::string& line : table(now, kLineWidth, now.ranks.size() + 1)) fmt::print("{}\n", line);
  return 0;
}

}  // namespace polder::cli
