// mf: learns what people would think of things they have not rated yet, by matrix factorisation.
#include "command.hpp"

#include "common/command_line.hpp"

int main(int argc, char** argv) {
  CLI::App app("Matrix factorisation of ratings by many ranks, which may learn from what is some iterations old");
  app.require_subcommand(1);
  app.footer(
      "polder run -n 4 mf train ratings.csv --slack 8 -o model\n"
      "polder run -n 1 mf predict model wanted.csv -o predictions\n\n"
      "Exit code: 0 all is well, 1 an error, 2 a wrong command line, 3 the --target was not reached.");
  mf::Action chosen;
  mf::add_train(app, chosen);
  mf::add_predict(app, chosen);
  if (const std::optional<int> code = apps::parse(app, argc, argv)) return *code;
  return chosen();
}
