#include "common/command_line.hpp"

#include "../cores.hpp"
#include "../gaspi/run_in_team.hpp"
#include "../generate.hpp"
#include "../in_threads.hpp"
#include "../sort_command.hpp"
#include "commands.hpp"

#include <algorithm>
#include <map>
#include <memory>

namespace terasort {
namespace {

struct GenerateArguments {
  GenerateOptions options;
  std::string path;
  bool ascii = false;
  unsigned threads = 0;  // 0: the cores that there are, shared by the ranks
};

int generate_in_team(const GenerateArguments& arguments) {
  constexpr double kPatience = 600;
  return run_in_team(kPatience, [&](GaspiTeam& team) {
    GenerateOptions options = arguments.options;
    options.format = arguments.ascii ? Format::ascii : Format::binary;
    options.threads = arguments.threads != 0 ? arguments.threads : std::max(1u, usable_cores() / team.size());
    const Status status = generate(team, arguments.path, options);
    print_error(status, team.rank());
    return status.ok() ? 0 : 1;
  });
}

}  // namespace

void add_generate(CLI::App& app, Action& chosen) {
  const std::map<std::string, Keys> keys{
      {"uniform", Keys::uniform}, {"skewed", Keys::skewed}, {"few", Keys::few}, {"equal", Keys::equal}};
  auto arguments = std::make_shared<GenerateArguments>();
  CLI::App* command = app.add_subcommand("generate", "make records as the public benchmark's gensort does");
  command->add_option("N", arguments->options.records, "number of records of 100 bytes")->required();
  command->add_option("FILE", arguments->path, "what to write; appears when it is complete")->required();
  command->add_flag("-a,--ascii", arguments->ascii, "printable records that end in CR LF");
  command->add_option("-b,--begin", arguments->options.start, "number of the first record")->capture_default_str();
  apps::add_choice(*command, "--keys", arguments->options.keys, keys,
                   "uniform (gensort's), skewed, few (16 different ones) or equal");
  command->add_option("--threads", arguments->threads, "threads per rank (default: one per core)")
      ->check(apps::between(1u, kMostThreads));
  command->callback([arguments, &chosen] { chosen = [arguments] { return generate_in_team(*arguments); }; });
}

}  // namespace terasort
