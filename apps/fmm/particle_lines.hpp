// Particles in a text: one a line, four numbers `x y z charge` with blanks or commas between. Empty lines and what
// follows a # are skipped.
#pragma once

#include "common/file.hpp"
#include "particle.hpp"

#include <polder/status.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace fmm {

using polder::Status;

inline constexpr std::size_t kNumbers = 4;  // of a particle in a file

Particle particle_of(const double (&numbers)[kNumbers]);

// Reads the lines that begin in one part of a file of `size` bytes, so that readers of consecutive parts find each line
// once.
class ParticleLines {
 public:
  ParticleLines(const apps::File& file, Share part, std::uint64_t size) : file_(file), part_(part), size_(size) {}

  // system: the file cannot be read. Stops at the first line that is wrong().
  Status run();

  std::vector<Particle> particles;
  std::uint64_t lines = 0;
  const std::string& wrong() const { return wrong_; }  // with the last of `lines`; empty: nothing

 private:
  Status skip_line();
  Status read_line();
  Status next_line(std::string& line);
  Status read_chunk();

  const apps::File& file_;
  Share part_;
  std::uint64_t size_;
  std::uint64_t at_ = 0;
  std::string chunk_;
  std::uint64_t chunk_begin_ = 0;
  std::string wrong_;
};

}  // namespace fmm
