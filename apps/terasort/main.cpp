// terasort: makes, sorts and checks files of 100-byte records, as in the public sort benchmark.
#include "commands/commands.hpp"
#include "sort_command.hpp"

#include "common/command_line.hpp"

int main(int argc, char** argv) {
  CLI::App app("Sorts large files in the memory of many ranks");
  app.require_subcommand(1);
  app.footer("polder run -n 4 terasort sort IN OUT");
  terasort::Action chosen;
  terasort::add_generate(app, chosen);
  terasort::add_sort(app, chosen);
  terasort::add_validate(app, chosen);
  if (const std::optional<int> code = apps::parse(app, argc, argv)) return *code;
  terasort::ignore_file_size_signal();
  return chosen();
}
