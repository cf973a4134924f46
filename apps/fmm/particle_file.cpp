#include "particle_file.hpp"

#include "common/file.hpp"
#include "particle_lines.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string_view>

namespace fmm {
namespace {

constexpr std::uint64_t kBinaryBytes = kNumbers * sizeof(double);

bool ends_with(const std::string& text, std::string_view end) {
  return text.size() >= end.size() && std::string_view(text).substr(text.size() - end.size()) == end;
}

struct TextCount {
  std::uint64_t lines = 0;
  std::uint64_t particles = 0;
};

Result<std::vector<Particle>> read_text(const Team& team, const apps::File& file, std::uint64_t size) {
  ParticleLines reader(file, share_of(size, team.rank(), team.size()), size);
  Status status = team.agree(reader.run());
  if (!status.ok()) return status;
  const Result<std::vector<TextCount>> counts =
      team.allgather(TextCount{reader.lines, std::uint64_t(reader.particles.size())});
  if (!counts.ok()) return counts.status();
  TextCount before;
  for (unsigned rank = 0; rank < team.rank(); ++rank) {
    before.lines += (*counts)[rank].lines;
    before.particles += (*counts)[rank].particles;
  }
  if (!reader.wrong().empty()) {
    status = Status(Code::invalid_argument, "'" + file.path() + "', line " +
                                                std::to_string(before.lines + reader.lines) + " " + reader.wrong());
  }
  status = team.agree(status);
  if (!status.ok()) return status;
  for (std::size_t i = 0; i < reader.particles.size(); ++i) reader.particles[i].id = before.particles + i;
  return std::move(reader.particles);
}

Result<std::vector<Particle>> read_binary_part(const apps::File& file, Share part) {
  std::vector<double> numbers(part.size() * kNumbers);
  Status status = file.read_at(part.begin * kBinaryBytes, std::as_writable_bytes(std::span(numbers)));
  if (!status.ok()) return status;
  std::vector<Particle> particles(part.size());
  for (std::uint64_t i = 0; i < part.size(); ++i) {
    double own[kNumbers];
    std::copy_n(numbers.data() + i * kNumbers, kNumbers, own);
    if (!usable(std::to_array(own))) {
      return Status(Code::invalid_argument, "'" + file.path() + "', particle " + std::to_string(part.begin + i) +
                                                " has a number that is not finite or too large");
    }
    particles[i] = particle_of(own);
    particles[i].id = part.begin + i;
  }
  return particles;
}

Result<std::vector<Particle>> read_binary(const Team& team, const apps::File& file, std::uint64_t size) {
  Status status;
  std::vector<Particle> particles;
  if (size % kBinaryBytes != 0) {
    status = Status(Code::invalid_size, "'" + file.path() + "' has " + std::to_string(size) +
                                            " bytes, which is not a multiple of 32: a particle is four doubles");
  } else {
    Result<std::vector<Particle>> mine =
        read_binary_part(file, share_of(size / kBinaryBytes, team.rank(), team.size()));
    status = mine.status();
    if (mine.ok()) particles = std::move(*mine);
  }
  status = team.agree(status);
  if (!status.ok()) return status;
  return particles;
}

}  // namespace

FileFormat format_of(const std::string& path, FileFormat wanted) {
  if (wanted != FileFormat::by_name) return wanted;
  return ends_with(path, ".bin") ? FileFormat::binary : FileFormat::text;
}

Result<std::vector<Particle>> read_particles(const Team& team, const std::string& path, FileFormat format) {
  const Result<apps::File> file = apps::File::open(path);
  Status status = file.status();
  std::uint64_t size = 0;
  if (file.ok()) {
    const Result<std::uint64_t> bytes = file->size();
    status = bytes.status();
    size = bytes.value_or(0);
  }
  status = team.agree(status);
  if (!status.ok()) return status;
  // Ranks that see different files (a folder that is not shared) must not go on.
  const Result<std::vector<std::uint64_t>> sizes = team.allgather(size);
  if (!sizes.ok()) return sizes.status();
  if (sizes->front() != size) {
    status = Status(Code::invalid_argument, "'" + path + "' has " + std::to_string(size) + " bytes here and " +
                                                std::to_string(sizes->front()) + " at rank 0");
  }
  status = team.agree(status);
  if (!status.ok()) return status;
  if (format_of(path, format) == FileFormat::binary) return read_binary(team, *file, size);
  return read_text(team, *file, size);
}

}  // namespace fmm
