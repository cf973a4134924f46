// A whole job: from two tensors to their contraction. Every rank runs it.
#pragma once

#include "blocking.hpp"
#include "common/npy.hpp"
#include "common/team.hpp"
#include "report.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace contract {

struct Options {
  std::string notation;
  std::string first, second, output;  // files; output may be empty
  // Instead of files: the extent of each index, of operands that are made up.
  std::map<char, std::uint64_t> made_up;
  apps::Number number = apps::Number::float64;  // of those

  std::uint64_t rows = 0, columns = 0, inner = 0;  // of blocks; 0: chosen
  Distribution distribution = Distribution::regular;
  std::string owners;  // a file that gives them instead
  std::uint64_t seed = 1;

  unsigned threads = 0;      // of each rank; 0: its share of the cores
  std::uint64_t memory = 0;  // bytes that the ranks of a node may use; 0: what is available
  bool finite = false;       // refuse what is infinite or not a number
  std::uint64_t samples = 32;
  unsigned repeat = 1;  // times that the product is made; the shortest counts
  bool progress = true;
  std::string json;
  double patience = 600;  // seconds without news after which other ranks count as lost
};

// Collective. All ranks fail together; those that stopped because of another one get an error without a text, and nothing
// is left under the output's name that was not there before.
Result<Report> run_job(const apps::Team& team, const Options& options);

}  // namespace contract
