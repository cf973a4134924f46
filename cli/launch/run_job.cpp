#include "launch/run_job.hpp"

#include "bootstrap/local/job_page.hpp"
#include "launch/crew.hpp"
#include "launch/event_loop.hpp"
#include "launch/guardian.hpp"
#include "launch/limits.hpp"
#include "launch/plumbing.hpp"
#include "launch/processes.hpp"
#include "launch/program.hpp"
#include "launch/report.hpp"
#include "launch/spawn.hpp"
#include "launch/supervisor.hpp"
#include "live/screen.hpp"
#include "util/shared_memory.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <climits>
#include <filesystem>

namespace polder::cli {
namespace {

namespace local = bootstrap::local;

// What the launcher has open besides: page, news, signals, input, guardian, the user's own.
constexpr std::size_t kOtherDescriptors = 64;

int to_milliseconds(std::chrono::nanoseconds span) {
  return int(std::clamp<std::int64_t>(std::chrono::ceil<std::chrono::milliseconds>(span).count(), 0, INT_MAX));
}

struct NewsPipe {
  util::Fd read_end;
  util::Fd write_end;  // for children that cannot become the program; also keeps the read end from reporting an end
};

Result<NewsPipe> make_news_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return util::system_error("pipe for news");
  return NewsPipe{util::Fd(ends[0]), util::Fd(ends[1])};
}

std::size_t descriptors_needed(const RunOptions& options) {
  const std::size_t each = options.tag_output || options.watch ? 3 : 1;
  return options.processes() * each + kOtherDescriptors;
}

Status make_trace_directory(RunOptions& options) {
  if (options.trace_directory.empty()) return {};
  std::error_code error;
  const auto path = std::filesystem::absolute(options.trace_directory, error);
  if (!error) std::filesystem::create_directories(path, error);
  if (error) return {Code::system, fmt::format("--trace {}: {}", options.trace_directory, error.message())};
  options.trace_directory = path.string();
  return {};
}

Result<SpawnPlan> make_plan(const RunOptions& options, const std::string& program, const std::string& job) {
  auto environment = Environment::create(options, job);
  if (!environment) return environment.status();
  SpawnPlan plan{.path = program,
                 .arguments = {},
                 .environment = *std::move(environment),
                 .cores = {},
                 .descriptors = {},
                 .signals = nullptr,
                 .page = nullptr,
                 .news = -1};
  for (const std::string& argument : options.command) plan.arguments.push_back(const_cast<char*>(argument.c_str()));
  plan.arguments.push_back(nullptr);
  if (options.binding == Binding::none) return plan;
  auto order = binding_order(options.rank_order);
  if (!order) return order.status();
  plan.cores = *std::move(order);
  return plan;
}

// Starts, watches, cleans up. An error is the launcher's own, and then no rank runs any more.
Result<int> launch(const RunOptions& options, const std::string& program) {
  auto news = make_news_pipe();
  if (!news) return news.status();
  auto page = local::JobPage::create(
      {.size = options.processes(), .spares = options.spares, .launcher = getpid(), .news_file = news->read_end.get()});
  if (!page) return page.status();
  const std::string job = path_of((*page)->file());
  auto plan = make_plan(options, program, job);
  if (!plan) return plan.status();
  // One more for each rank that turns out to be behind a wrapper, to see its end before that of the wrapper.
  const std::size_t needed = descriptors_needed(options);
  if (Status status = allow_descriptors(needed, needed + options.processes(), plan->descriptors); !status.ok())
    return status;
  auto loop = EventLoop::create();
  if (!loop) return loop.status();
  auto signals = SignalSource::open();
  if (!signals) return signals.status();
  plan->signals = &*signals;
  plan->page = page->get();
  plan->news = news->write_end.get();

  const Bystanders bystanders = Bystanders::here();
  auto guardian = Guardian::start(*page, job);
  if (!guardian) return guardian.status();
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  Screen screen(STDERR_FILENO, "polder: ");
  Plumbing plumbing(*loop, {.by_lines = options.tag_output || (options.watch && screen.is_terminal()),
                            .tag = options.tag_output,
                            .before = [&screen] { screen.clear(); }});
  Crew crew(*page);
  Supervisor supervisor(options, {*loop, *signals, plumbing, crew, screen, **page, news->read_end.get()});
  const Status started = crew.start(*plan, plumbing);
  const int code = started.ok() ? supervisor.run() : kExitLauncher;
  guardian->dismiss();
  if (!end_descendants(bystanders)) plumbing.say("some processes of the job hang in the kernel and could not be ended");
  signals->let_go();  // what is left to show may wait for a reader who never reads
  plumbing.finish(code == kExitTimeout ? to_milliseconds(options.grace) : -1);
  if (!started.ok()) return started;
  return code;
}

}  // namespace

int run_job(const RunOptions& given) {
  RunOptions options = given;
  const Program program = find_program(options.command.front());
  if (program.exit_code != 0) {
    report(program.error);
    return program.exit_code;
  }
  Status status = check_memory(options.processes());
  if (status.ok()) status = make_trace_directory(options);
  Result<int> code = status.ok() ? launch(options, program.path) : Result<int>(status);
  if (code) return *code;
  report(code.status().to_string());
  return code.status().code() == Code::invalid_argument ? kExitUsage : kExitLauncher;
}

}  // namespace polder::cli
