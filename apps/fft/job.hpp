// A whole job: from a field to its transform. Every rank runs it.
#pragma once

#include "common/team.hpp"
#include "report.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace fft {

enum class Cut : std::uint8_t { fitting, slabs, pencils };

struct Options {
  std::string input, output;       // files; both may be empty
  std::optional<Extents> extents;  // of a raw file, or of a field that is made up
  bool inverse = false;
  Cut cut = Cut::fitting;
  std::optional<Grid> grid;      // instead of `cut`
  Tuning tuning{.pieces = 0};    // 0: as many as fit the field
  std::optional<Effort> effort;  // measure if the transform is made several times, else estimate
  std::uint64_t seed = 1;
  std::uint64_t memory = 0;  // bytes that the ranks of a node may use; 0: what is available
  std::uint64_t samples = 4;
  unsigned repeat = 1;  // times that the transform is made; the shortest counts
  bool progress = true;
  std::string json;
  double patience = 600;  // seconds without news after which other ranks count as lost
};

// Slabs as long as there are planes for all, else pencils in a grid as square as can be.
Grid fitting_grid(Cut cut, const Extents& extents, unsigned ranks);

// Collective. All ranks fail together; those that stopped because of another one get an error without a text, and nothing
// is left under the output's name that was not there before.
Result<Report> run_job(const apps::Team& team, const Options& options);

}  // namespace fft
