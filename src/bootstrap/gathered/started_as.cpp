#include "bootstrap/gathered/started_as.hpp"

#include "bootstrap/gathered/machine_file.hpp"
#include "bootstrap/local/job_page.hpp"
#include "util/log.hpp"

#include <charconv>
#include <cstdlib>
#include <limits>

namespace polder::bootstrap::gathered {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

// A whole number below `limit`.
Result<Rank> number(const char* name, std::uint64_t limit, const char* what) {
  const std::string text = variable(name);
  Rank value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc() && stop == end && !text.empty() && value < limit) return value;
  return Status(Code::invalid_argument, text.empty() ? std::string(name) + " is not set, although it is " + what
                                                     : std::string(name) + "=" + text + " is not " + what);
}

Result<StartedAs> read_numbers(const char* rank_variable, const char* size_variable) {
  const auto size = number(size_variable, local::kMaxRanks + 1, "the number of ranks, 1 to 65535");
  if (!size.ok()) return size.status();
  if (*size == 0) return Status(Code::invalid_argument, std::string(size_variable) + "=0: a job has at least one rank");
  const std::string what = "a rank of a job of " + std::to_string(*size);
  const auto rank = number(rank_variable, *size, what.c_str());
  if (!rank.ok()) return rank.status();
  return StartedAs{.rank_variable = rank_variable, .rank = *rank, .size = *size, .machine_file = ""};
}

Result<StartedAs> read_gaspi() {
  auto start = read_numbers("GASPI_RANK", "GASPI_NRANKS");
  if (!start.ok()) return start;
  if (!variable("GASPI_SOCKET").empty()) {
    const auto socket = number("GASPI_SOCKET", start->size, "the place among the ranks of a machine");
    if (!socket.ok()) return socket.status();
  }
  start->machine_file = variable("GASPI_MFILE");
  if (start->machine_file.empty()) return start;
  if (Status status = check_machine_file(start->machine_file, start->size); !status.ok()) return status;
  return start;
}

// Hydra says how many ranks a machine has, Slurm how many machines a step has.
Status check_one_machine(Rank size) {
  const std::string here = variable("MPI_LOCALNRANKS");
  const std::string machines = variable("SLURM_STEP_NUM_NODES");
  const bool elsewhere = !here.empty() ? here != std::to_string(size) : !machines.empty() && machines != "1";
  if (!elsewhere) return {};
  return {Code::unsupported,
          "the " + std::to_string(size) + " ranks that PMI_SIZE counts are on several machines (" +
              (here.empty() ? machines + " nodes" : here + " ranks are here") +
              "), and this launcher offers no PMIx; start them with srun --mpi=pmix, mpirun (Open MPI) or prterun"};
}

Result<StartedAs> read_pmi() {
  auto start = read_numbers("PMI_RANK", "PMI_SIZE");
  if (!start.ok()) return start;
  if (Status status = check_one_machine(start->size); !status.ok()) return status;
  return start;
}

}  // namespace

void warn_of_lone_ranks() {
  for (const char* name : {"SLURM_STEP_NUM_TASKS", "OMPI_COMM_WORLD_SIZE"}) {
    const std::string count = variable(name);
    if (count.empty() || count == "1") continue;
    util::log(util::LogLevel::warning,
              "the launcher started %s processes but offers no PMIx, so this one is a job of its own; use srun "
              "--mpi=pmix or mpirun with PMIx (POLDER_BOOTSTRAP=local if this is meant)",
              count.c_str());
  }
}

Result<std::optional<StartedAs>> read_start() {
  const bool gaspi = !variable("GASPI_RANK").empty() || !variable("GASPI_NRANKS").empty();
  if (!gaspi && variable("PMI_RANK").empty()) return std::optional<StartedAs>();
  auto start = gaspi ? read_gaspi() : read_pmi();
  if (!start.ok()) return std::move(start).status();
  return std::optional<StartedAs>(*std::move(start));
}

}  // namespace polder::bootstrap::gathered
