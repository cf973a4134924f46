#include "particle_file.hpp"

#include "common/file.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <string_view>

namespace fmm {
namespace {

constexpr std::size_t kNumbers = 4;
constexpr std::uint64_t kBinaryBytes = kNumbers * sizeof(double);
constexpr std::size_t kChunk = 1 << 20;

bool ends_with(const std::string& text, std::string_view end) {
  return text.size() >= end.size() && std::string_view(text).substr(text.size() - end.size()) == end;
}

Particle particle_of(const double (&numbers)[kNumbers]) {
  Particle particle;
  particle.position = {numbers[0], numbers[1], numbers[2]};
  particle.charge = numbers[3];
  return particle;
}

constexpr std::string_view kBlanks = " \t\r,;";

// What is wrong with a line; empty: nothing. `found` says whether there is a particle in it.
std::string parse_line(std::string_view line, double (&numbers)[kNumbers], bool& found) {
  line = line.substr(0, line.find('#'));
  std::size_t count = 0;
  for (;;) {
    const std::size_t begin = line.find_first_not_of(kBlanks);
    if (begin == std::string_view::npos) break;
    line.remove_prefix(begin);
    const std::string_view word = line.substr(0, line.find_first_of(kBlanks));
    line.remove_prefix(word.size());
    if (count == kNumbers) return "has more than the four numbers x y z charge";
    const std::string_view digits = word[0] == '+' ? word.substr(1) : word;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), numbers[count++]);
    if (error != std::errc() || end != digits.data() + digits.size())
      return "has '" + std::string(word.substr(0, 40)) + "' where a number is expected";
  }
  found = count > 0;
  if (found && count < kNumbers) return "has only " + std::to_string(count) + " of the four numbers x y z charge";
  if (found && !usable(std::to_array(numbers))) return "has a number that is not finite or too large";
  return {};
}

// One rank's lines: those that begin in its part of the file.
class LineReader {
 public:
  LineReader(const apps::File& file, Share part, std::uint64_t size) : file_(file), part_(part), size_(size) {}

  Status run() {
    // The line that the part begins in the middle of is the previous rank's.
    Status status = part_.begin == 0 ? Status() : skip_line();
    while (status.ok() && at_ < part_.end && wrong_.empty()) status = read_line();
    return status;
  }

  std::vector<Particle> particles;
  std::uint64_t lines = 0;
  const std::string& wrong() const { return wrong_; }  // with the last of `lines`

 private:
  Status skip_line() {
    // A part that begins at the beginning of a line keeps it: the byte before is a line feed.
    at_ = part_.begin - 1;
    std::string ignored;
    return next_line(ignored);
  }

  Status read_line() {
    std::string line;
    Status status = next_line(line);
    if (!status.ok()) return status;
    ++lines;
    double numbers[kNumbers];
    bool found = false;
    wrong_ = parse_line(line, numbers, found);
    if (found && wrong_.empty()) particles.push_back(particle_of(numbers));
    return {};
  }

  // The line at `at_`, which then is behind it.
  Status next_line(std::string& line) {
    while (at_ < size_) {
      if (at_ < chunk_begin_ || at_ >= chunk_begin_ + chunk_.size()) {
        Status status = read_chunk();
        if (!status.ok()) return status;
      }
      const std::string_view rest = std::string_view(chunk_).substr(at_ - chunk_begin_);
      const std::size_t end = rest.find('\n');
      line.append(rest.substr(0, end));
      at_ += end == std::string_view::npos ? rest.size() : end + 1;
      if (end != std::string_view::npos) return {};
      if (line.size() > kChunk) {
        wrong_ = "is longer than a million bytes";
        at_ = size_;
      }
    }
    return {};
  }

  Status read_chunk() {
    chunk_begin_ = at_;
    chunk_.resize(std::min<std::uint64_t>(kChunk, size_ - at_));
    return file_.read_at(at_, std::as_writable_bytes(std::span(chunk_)));
  }

  const apps::File& file_;
  Share part_;
  std::uint64_t size_;
  std::uint64_t at_ = 0;
  std::string chunk_;
  std::uint64_t chunk_begin_ = 0;
  std::string wrong_;
};

struct TextCount {
  std::uint64_t lines = 0;
  std::uint64_t particles = 0;
};

Result<std::vector<Particle>> read_text(const Team& team, const apps::File& file, std::uint64_t size) {
  LineReader reader(file, share_of(size, team.rank(), team.size()), size);
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
