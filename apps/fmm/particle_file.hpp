// Files of particles.
//
// Text: a particle a line, four numbers `x y z charge` with blanks or commas between. Empty lines and what follows a #
// are skipped. Binary: four doubles a particle, x y z charge, in the byte order of the machine.
#pragma once

#include "particle.hpp"
#include "team.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace fmm {

enum class FileFormat : std::uint8_t { by_name, text, binary };

// by_name: binary if the name ends with .bin, else text.
FileFormat format_of(const std::string& path, FileFormat wanted);

// Collective. Each rank reads its part of the file; particles are numbered in the order of the file. Errors name the
// line (of a text) or the particle.
Result<std::vector<Particle>> read_particles(const Team& team, const std::string& path, FileFormat format);

}  // namespace fmm
