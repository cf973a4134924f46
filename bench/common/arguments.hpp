// The command line that all measuring programs share: NAME [--sizes BYTES,..] [--kinds KIND,..] [--procs N,..]
// [--sample-ms N] [--quick].
#pragma once

#include "common/sampling.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace bench {

struct Arguments {
  std::string name;                // which measurement
  std::vector<std::size_t> sizes;  // bytes; empty: the measurement's own choice
  std::vector<std::string> kinds;  // of collectives; empty: all
  std::vector<std::size_t> procs;  // processes to start; only for programs that start their own
  std::size_t cpu = 0;             // for the hog: where to sit
  bool written = false;            // each rank writes what it sends before each collective, as programs do
  bool quick = false;              // a few iterations, to see that it works; the numbers mean little
  Plan plan;                       // --sample-ms sets the length of a sample: longer ones on a busy machine

  bool takes(const std::string& kind) const;
  // The sizes asked for, else `usual`, of which --quick takes only the ends.
  std::vector<std::size_t> sizes_or(std::vector<std::size_t> usual) const;
  std::vector<std::size_t> procs_or(const std::vector<std::size_t>& usual) const {
    return procs.empty() ? usual : procs;
  }
};

// Whether collectives that give each rank a block of its own are measured with blocks of this size: where all together are no more
// than 64 MB, and by two ranks.
bool takes_blocks(std::size_t bytes, std::size_t ranks);

// Bytes of a buffer for collectives of these sizes by so many ranks: two blocks, or one for each rank where that is measured.
std::size_t room_for_blocks(const std::vector<std::size_t>& sizes, std::size_t ranks);

// Bytes that a rank sends in a collective of this kind and size.
std::size_t bytes_sent(const std::string& kind, std::size_t bytes, std::size_t ranks, bool is_root);

// Ends the program with exit code 2 and a sentence if an argument is not understood.
Arguments parse_arguments(int argc, char** argv);

}  // namespace bench
