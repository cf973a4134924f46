// fmm: potentials and forces of many particles by the fast multipole method.
#include "command.hpp"

#include "common/command_line.hpp"

int main(int argc, char** argv) {
  CLI::App app("Potentials and forces between charges or masses (1/r) by the fast multipole method");
  app.footer(
      "polder run -n 2 fmm --cube 1000000 --accuracy 1e-5\n\n"
      "Exit code: 0 all is well, 1 an error, 2 a wrong command line, 3 the accuracy was not reached.");
  fmm::Options options;
  fmm::add_arguments(app, options);
  if (const std::optional<int> code = apps::parse(app, argc, argv)) return *code;
  return fmm::run(options);
}
