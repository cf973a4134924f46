// The MPI peer of terasort: the same sort but for the way records travel. TERASORT_MPI is the name of the MPI it was
// built with.
#include "common/command_line.hpp"
#include "exchange_shuffle.hpp"
#include "mpi_team.hpp"
#include "sort_command.hpp"

int main(int argc, char** argv) {
  using namespace terasort;
  MpiTeam team(&argc, &argv);
  CLI::App app("terasort over MPI, to compare with");
  app.require_subcommand(1);
  SortOptions options;
  add_sort_arguments(*app.add_subcommand("sort", "sort a file in the memory of all ranks"), options);
  if (const std::optional<int> code = apps::parse(app, argc, argv)) return *code;
  ignore_file_size_signal();
  ExchangeShuffle shuffle(team);
  return run_sort(team, shuffle, options, TERASORT_MPI);
}
