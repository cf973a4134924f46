#include "common/command_line.hpp"

#include "../cores.hpp"
#include "../in_threads.hpp"
#include "../sort_command.hpp"
#include "../validate.hpp"
#include "commands.hpp"

#include <cstdio>
#include <memory>

namespace terasort {
namespace {

struct ValidateArguments {
  std::string path;
  std::string against;
  unsigned threads = 0;
};

void print_number(const char* name, std::uint64_t number) {
  std::printf("%s: %llu\n", name, static_cast<unsigned long long>(number));
}

// In the words of the public benchmark's valsort.
void print_summary(const Summary& summary) {
  if (!summary.ordered()) print_number("First unordered record is record", summary.first_unordered);
  print_number("Records", summary.records);
  std::printf("Checksum: %s\n", to_hex(summary.checksum).c_str());
  if (!summary.ordered()) {
    std::printf("ERROR - there are %llu unordered records\n", static_cast<unsigned long long>(summary.unordered));
    return;
  }
  print_number("Duplicate keys", summary.duplicates);
  std::puts("SUCCESS - all records are in order");
}

bool compare_with_input(const Summary& output, const Summary& input, const std::string& path) {
  if (output.same_records(input)) {
    std::printf("SUCCESS - the same records as '%s'\n", path.c_str());
    return true;
  }
  std::printf("ERROR - not the records of '%s', which has %llu with checksum %s\n", path.c_str(),
              static_cast<unsigned long long>(input.records), to_hex(input.checksum).c_str());
  return false;
}

int validate(const ValidateArguments& arguments) {
  const unsigned threads = arguments.threads != 0 ? arguments.threads : usable_cores();
  const Result<Summary> output = summarize(arguments.path, threads);
  if (!output.ok()) {
    print_error(output.status(), 0);
    return 2;
  }
  print_summary(*output);
  if (arguments.against.empty()) return output->ordered() ? 0 : 1;
  const Result<Summary> input = summarize(arguments.against, threads);
  if (!input.ok()) {
    print_error(input.status(), 0);
    return 2;
  }
  const bool same = compare_with_input(*output, *input, arguments.against);
  return same && output->ordered() ? 0 : 1;
}

}  // namespace

void add_validate(CLI::App& app, Action& chosen) {
  auto arguments = std::make_shared<ValidateArguments>();
  CLI::App* command =
      app.add_subcommand("validate", "check the order of a file, and whether it has the records of another");
  command->add_option("FILE", arguments->path, "the sorted file")->required();
  command->add_option("--against", arguments->against,
                      "the unsorted file: number and checksum of records must be the same");
  command->add_option("--threads", arguments->threads, "(default: one per core)")
      ->check(apps::between(1u, kMostThreads));
  command->footer("Exit code: 0 all is well, 1 the file is wrong, 2 it cannot be read.");
  command->callback([arguments, &chosen] { chosen = [arguments] { return validate(*arguments); }; });
}

}  // namespace terasort
