#include "tune/tune.hpp"
#include "trace/convert/output.hpp"
#include "tune/rows.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include <unistd.h>

namespace polder::tune {
namespace {

constexpr std::size_t kSizes[] = {8, 256, 4 << 10, 32 << 10, 256 << 10, 2 << 20, 16 << 20};
constexpr std::size_t kAlways = 2 << 20;  // up to this; longer ones take as much longer as they are, if there is time

// What took so long to measure outlives a power cut, too.
Status write(const std::string& path, const std::string& text) {
  trace::Output file(path);
  file.write(text);
  if (Status status = file.sync(); !status.ok()) return status;
  return file.close();
}

std::vector<Subject> subjects_of(const Measurement& measurement, coll::Kind kind) {
  if (kind == coll::Kind::barrier) return {{kind, 0}};
  std::vector<Subject> all;
  for (const std::size_t bytes : kSizes)
    if (const Subject subject{kind, bytes}; measurement.fits(subject)) all.push_back(subject);
  return all;
}

}  // namespace

Status flush_output() {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return {};
  return {Code::system, std::string("standard output cannot be written: ") + std::strerror(errno)};
}

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
  // Nobody reads rows of a pipe, which may be standard output, a second time.
  std::error_code ignored;
  if (std::filesystem::is_regular_file(output, ignored)) fmt::print("{}: set POLDER_COLL_TABLE to it\n", output);
  return {};
}

}  // namespace polder::tune
