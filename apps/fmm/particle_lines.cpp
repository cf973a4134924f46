#include "particle_lines.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <span>
#include <string_view>

namespace fmm {
namespace {

constexpr std::size_t kChunk = 1 << 20;
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

}  // namespace

Particle particle_of(const double (&numbers)[kNumbers]) {
  Particle particle;
  particle.position = {numbers[0], numbers[1], numbers[2]};
  particle.charge = numbers[3];
  return particle;
}

Status ParticleLines::run() {
  // The line that the part begins in the middle of is the previous part's.
  Status status = part_.begin == 0 ? Status() : skip_line();
  while (status.ok() && at_ < part_.end && wrong_.empty()) status = read_line();
  return status;
}

Status ParticleLines::skip_line() {
  // A part that begins at the beginning of a line keeps it: the byte before is a line feed.
  at_ = part_.begin - 1;
  std::string ignored;
  return next_line(ignored);
}

Status ParticleLines::read_line() {
  std::string line;
  Status status = next_line(line);
  if (!status.ok()) return status;
  ++lines;
  if (!wrong_.empty()) return {};
  double numbers[kNumbers];
  bool found = false;
  wrong_ = parse_line(line, numbers, found);
  if (found && wrong_.empty()) particles.push_back(particle_of(numbers));
  return {};
}

// The line at `at_`, which then is behind it.
Status ParticleLines::next_line(std::string& line) {
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
      return {};
    }
  }
  return {};
}

Status ParticleLines::read_chunk() {
  chunk_begin_ = at_;
  chunk_.resize(std::min<std::uint64_t>(kChunk, size_ - at_));
  return file_.read_at(at_, std::as_writable_bytes(std::span(chunk_)));
}

}  // namespace fmm
