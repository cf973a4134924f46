#include "common/arguments.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>

namespace bench {
namespace {

[[noreturn]] void refuse(const char* program, const char* what, const char* text) {
  std::fprintf(
      stderr,
      "%s: %s: %s\nusage: %s NAME [--sizes BYTES,..] [--kinds KIND,..] [--procs N,..] [--sample-ms N] [--cpu N] "
      "[--written] [--quick]\n",
      program, what, text, program);
  std::exit(2);
}

std::size_t number(const char* program, const char* option, const char* text) {
  char* end = nullptr;
  errno = 0;
  const unsigned long long value = std::strtoull(text, &end, 10);
  if (end == text || *end != '\0' || errno != 0 || *text == '-') refuse(program, option, text);
  return value;
}

std::vector<std::string> words(const std::string& text) {
  std::vector<std::string> all;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    all.push_back(text.substr(at, comma - at));
    at = comma + 1;
  }
  return all;
}

// As all programs here that measure collectives call them.
std::vector<std::string> collectives(const char* program, const char* option, const std::string& text) {
  static constexpr const char* kKinds[] = {"barrier",        "bcast",    "reduce", "allreduce",
                                           "reduce_scatter", "scan",     "exscan", "neighbours",
                                           "allgather",      "alltoall", "gather", "scatter"};
  const std::vector<std::string> kinds = words(text);
  for (const std::string& kind : kinds)
    if (std::find(std::begin(kKinds), std::end(kKinds), kind) == std::end(kKinds))
      refuse(program, option, ("no collective is called '" + kind + "'").c_str());
  return kinds;
}

std::vector<std::size_t> list(const char* program, const char* option, const std::string& text) {
  std::vector<std::size_t> values;
  for (const std::string& word : words(text)) values.push_back(number(program, option, word.c_str()));
  return values;
}

}  // namespace

std::vector<std::size_t> Arguments::sizes_or(std::vector<std::size_t> usual) const {
  if (!sizes.empty()) return sizes;
  if (quick && usual.size() > 2) return {usual.front(), usual[1]};
  return usual;
}

bool Arguments::takes(const std::string& kind) const {
  return kinds.empty() || std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

bool takes_blocks(std::size_t bytes, std::size_t ranks) {
  constexpr std::size_t kMost = std::size_t{64} << 20;
  return ranks <= 2 || bytes * ranks <= kMost;
}

std::size_t room_for_blocks(const std::vector<std::size_t>& sizes, std::size_t ranks) {
  std::size_t room = 0;
  for (const std::size_t bytes : sizes)
    room = std::max({room, 2 * bytes, takes_blocks(bytes, ranks) ? ranks * bytes : 0});
  return room;
}

std::size_t bytes_sent(const std::string& kind, std::size_t bytes, std::size_t ranks, bool is_root) {
  if (kind == "barrier") return 0;
  if (kind == "bcast") return is_root ? bytes : 0;
  if (kind == "scatter") return is_root ? bytes * ranks : 0;
  if (kind == "alltoall") return bytes * ranks;
  return kind == "neighbours" ? 2 * bytes : bytes;
}

Arguments parse_arguments(int argc, char** argv) {
  Arguments arguments;
  const char* program = argv[0];
  for (int i = 1; i < argc; ++i) {
    const char* word = argv[i];
    const auto value = [&] { return i + 1 < argc ? argv[++i] : (refuse(program, "needs a value", word), ""); };
    if (std::strcmp(word, "--quick") == 0)
      arguments.quick = true;
    else if (std::strcmp(word, "--written") == 0)
      arguments.written = true;
    else if (std::strcmp(word, "--sizes") == 0)
      arguments.sizes = list(program, word, value());
    else if (std::strcmp(word, "--kinds") == 0)
      arguments.kinds = collectives(program, word, value());
    else if (std::strcmp(word, "--procs") == 0)
      arguments.procs = list(program, word, value());
    else if (std::strcmp(word, "--cpu") == 0)
      arguments.cpu = number(program, word, value());
    else if (std::strcmp(word, "--sample-ms") == 0)
      arguments.plan.sample_ns = std::int64_t(number(program, word, value())) * 1'000'000;
    else if (word[0] == '-' || !arguments.name.empty())
      refuse(program, "unknown argument", word);
    else
      arguments.name = word;
  }
  if (arguments.name.empty()) refuse(program, "missing", "NAME of the measurement");
  if (arguments.quick) arguments.plan = {.repetitions = 3, .sample_ns = 300'000, .max_iterations = 1000};
  return arguments;
}

}  // namespace bench
