// fmm: potentials and forces of many particles by the fast multipole method.
#include "command.hpp"

#include <CLI/CLI.hpp>

int main(int argc, char** argv) {
  CLI::App app("Potentials and forces between charges or masses (1/r) by the fast multipole method");
  app.footer("polder run -n 2 fmm --cube 1000000 --accuracy 1e-5");
  fmm::Options options;
  fmm::add_arguments(app, options);
  CLI11_PARSE(app, argc, argv);
  return fmm::run(options);
}
