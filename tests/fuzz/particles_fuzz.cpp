// Any bytes as a text of particles: refused, or each particle found once, however many ranks share the file.
#include "memory_file.hpp"
#include "particle_lines.hpp"

#include <cstring>

namespace {

// Empty if a line is wrong.
std::vector<fmm::Particle> read(const apps::File& file, std::uint64_t size, unsigned ranks, bool& wrong) {
  std::vector<fmm::Particle> all;
  for (unsigned rank = 0; rank < ranks; ++rank) {
    fmm::ParticleLines lines(file, fmm::share_of(size, rank, ranks), size);
    if (!lines.run().ok()) std::abort();
    wrong = wrong || !lines.wrong().empty();
    all.insert(all.end(), lines.particles.begin(), lines.particles.end());
  }
  return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const MemoryFile memory(data, size);
  const auto file = apps::File::open(memory.path());
  if (!file.ok()) std::abort();
  bool wrong = false, wrong_in_parts = false;
  const auto whole = read(*file, size, 1, wrong);
  const auto parts = read(*file, size, 3, wrong_in_parts);
  if (wrong != wrong_in_parts) std::abort();
  if (!wrong && (whole.size() != parts.size() ||
                 (!whole.empty() && std::memcmp(whole.data(), parts.data(), whole.size() * sizeof whole[0]) != 0)))
    std::abort();
  return 0;
}
