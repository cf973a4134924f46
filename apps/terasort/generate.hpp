// Makes input for the benchmark.
#pragma once

#include "make_record.hpp"
#include "team.hpp"

#include <cstdint>
#include <string>

namespace terasort {

struct GenerateOptions {
  std::uint64_t records = 0;
  std::uint64_t start = 0;  // number of the first record, so that files can be made in pieces
  Format format = Format::binary;
  Keys keys = Keys::uniform;
  unsigned threads = 1;  // per rank
};

// Collective. Each rank makes its part of the file, which gets its name when it is complete.
Status generate(Team& team, const std::string& path, const GenerateOptions& options);

}  // namespace terasort
