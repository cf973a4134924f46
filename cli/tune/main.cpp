// The program whose ranks `polder tune` and `polder explain` start. It may be started by mpirun or srun as well.
#include "launch/run_options.hpp"
#include "quantities.hpp"
#include "tune/tune.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <system_error>

namespace {

using polder::Code;
using polder::Result;
using polder::Status;

// polder-tune tune SECONDS KINDS OUTPUT | polder-tune explain SECONDS KIND BYTES; both as the commands of polder pass
// them on, checked.
Status run(polder::Runtime& runtime, int argc, char** argv) {
  const double seconds = std::strtod(argv[2], nullptr);
  if (!(seconds > 0 && seconds <= 3600)) return {Code::invalid_argument, std::string(argv[2]) + " is no time"};
  std::vector<polder::coll::Kind> kinds;
  for (std::string_view rest = argv[3]; !rest.empty();) {
    const std::string_view word = rest.substr(0, rest.find(','));
    const auto kind = polder::coll::kind_of(word);
    if (!kind) return {Code::invalid_argument, "there is no collective '" + std::string(word) + "'"};
    kinds.push_back(*kind);
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
  }
  if (kinds.empty()) return {Code::invalid_argument, "no collective is named"};
  if (std::string_view(argv[1]) == "tune") return polder::tune::tune(runtime, kinds, seconds, argc > 4 ? argv[4] : "");
  const auto sizes = polder::cli::read_sizes(argc > 4 ? argv[4] : "8");
  if (!sizes) return sizes.status();
  return polder::tune::explain(runtime, {kinds.front(), sizes->front()}, seconds);
}

Status run_and_print(polder::Runtime& runtime, int argc, char** argv) {
  try {
    if (Status met = runtime.world().commit(polder::tune::patience_of(runtime)); !met.ok()) return met;
    const Status status = run(runtime, argc, argv);
    return status.ok() ? polder::tune::flush_output() : status;
  } catch (const std::system_error& error) {  // fmt's, of a line that does not go out
    return {Code::system, std::string("standard output cannot be written: ") + error.what()};
  }
}

// One rank says why, and ends the others: each of some thousand would say the same, or that another one is gone. Arguments are wrong
// at all ranks alike.
int give_up(polder::Runtime& runtime, std::string_view task, const Status& status) {
  const int code = status.code() == Code::system ? int(polder::cli::kExitLauncher) : 1;
  const std::string why = status.message().empty() ? status.to_string() : std::string(status.message());
  if (status.code() != Code::invalid_argument) runtime.abort(code, fmt::format("polder {}: {}", task, why));
  if (runtime.rank() != 0) return 0;
  fmt::print(stderr, "polder {}: {}\n", task, why);
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view task = argc > 3 ? argv[1] : "";
  if (task != "tune" && task != "explain") {
    fmt::print(stderr, "polder-tune: polder tune and polder explain start it\n");
    return 2;
  }
  auto runtime = polder::Runtime::create({.commit_world = false});
  if (!runtime) {
    fmt::print(stderr, "polder-tune: {}\n", runtime.status().to_string());
    return 1;
  }
  const Status status = run_and_print(**runtime, argc, argv);
  return status.ok() ? 0 : give_up(**runtime, task, status);
}
