#include "tune/tune.hpp"
#include "tune/rows.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <iterator>
#include <utility>
#include <vector>

#include <unistd.h>

namespace polder::tune {
namespace {

constexpr std::size_t kSizes[] = {8, 256, 4 << 10, 32 << 10, 256 << 10, 2 << 20, 16 << 20};
constexpr std::size_t kAlways = 2 << 20;  // up to this; longer ones take as much longer as they are, if there is time

Status write(const std::string& path, const std::string& text) {
  const std::string beside = path + ".part";
  std::FILE* const file = std::fopen(beside.c_str(), "w");
  bool good = file != nullptr && std::fwrite(text.data(), 1, text.size(), file) == text.size();
  good = file != nullptr && std::fflush(file) == 0 && fsync(fileno(file)) == 0 && good;
  if (file != nullptr && std::fclose(file) != 0) good = false;
  if (good && std::rename(beside.c_str(), path.c_str()) == 0) return {};
  const Status status{Code::system, fmt::format("{} cannot be written", path)};
  std::remove(beside.c_str());
  return status;
}

std::vector<Subject> subjects_of(const Measurement& measurement, coll::Kind kind) {
  if (kind == coll::Kind::barrier) return {{kind, 0}};
  std::vector<Subject> all;
  for (const std::size_t bytes : kSizes)
    if (const Subject subject{kind, bytes}; measurement.fits(subject)) all.push_back(subject);
  return all;
}

}  // namespace

Status tune(Runtime& runtime, const std::vector<coll::Kind>& kinds, double seconds, const std::string& output) {
  Measurement measurement(runtime);
  std::size_t number = 0;
  for (const coll::Kind kind : kinds) number += subjects_of(measurement, kind).size();
  const bool speaks = runtime.rank() == 0;
  std::string table = fmt::format(
      "# polder tune, {} ranks on {}. POLDER_COLL_TABLE=FILE makes a job of as many ranks, or fewer, take these "
      "rows.\n",
      runtime.size(), runtime.node_ranks().size() == runtime.size() ? "one node" : "several nodes");
  for (const coll::Kind kind : kinds) {
    std::vector<Best> all;
    std::vector<Timing> before;
    for (const Subject& subject : subjects_of(measurement, kind)) {
      const double share = seconds / double(number);
      if (subject.bytes > kAlways && !is_affordable(before, subject.bytes / all.back().bytes, share)) break;
      auto timings = measurement.of(subject, share);
      if (!timings) return timings.status();
      before = std::move(*timings);
      all.push_back(best_of(subject.bytes, before));
      if (speaks && isatty(STDERR_FILENO) != 0)
        fmt::print(stderr, "\r{:<16}{:>8}", to_string(kind), coll::print_size(subject.bytes));
    }
    const std::string rows = rows_of(kind, runtime.size(), all);
    table += rows.empty() ? fmt::format("# {}: the built-in rows\n", to_string(kind)) : rows;
  }
  if (!speaks) return {};
  if (isatty(STDERR_FILENO) != 0) fmt::print(stderr, "\r{:24}\r", "");
  if (output.empty()) {
    fmt::print("{}", table);
    return {};
  }
  if (Status status = write(output, table); !status.ok()) return status;
  fmt::print("{}: set POLDER_COLL_TABLE to it\n", output);
  return {};
}

}  // namespace polder::tune
