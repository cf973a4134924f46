// Potentials and forces in the order of the input, whoever computed them.
//
// Text: a particle a line, `potential fx fy fz`, 24 characters each and a blank between. Binary: four doubles a
// particle, in the byte order of the machine. The force is charge times field.
#pragma once

#include "particle_file.hpp"
#include "solver.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace fmm {

using Outcome = std::array<double, 4>;  // potential, force

// Collective. The outcomes of share_of(total, rank, ranks): each rank puts what it computed where it belongs.
Result<std::vector<Outcome>> gather_outcomes(const Team& team, const Solver& solver, std::uint64_t total);

struct ResultFile {
  std::string path;  // appears when it is complete
  FileFormat format = FileFormat::by_name;
};

// Collective. Writes what gather_outcomes() returned.
Status write_outcomes(const Team& team, const std::vector<Outcome>& mine, std::uint64_t total, const ResultFile& file);

}  // namespace fmm
