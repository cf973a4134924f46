#include "result_file.hpp"

#include "common/output_file.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace fmm {
namespace {

constexpr std::size_t kNumberWidth = 24;
constexpr std::size_t kTextBytes = 4 * (kNumberWidth + 1);  // a blank or a line feed behind each number
constexpr std::size_t kBinaryBytes = sizeof(Outcome);
constexpr std::size_t kAtOnce = 10'000;
constexpr std::size_t kItemsAtOnce = 4096;

struct Numbered {
  std::uint64_t id;
  Outcome outcome;
};

std::vector<Numbered> sorted_outcomes(const Solver& solver) {
  std::vector<Numbered> outcomes;
  outcomes.reserve(solver.particles().size());
  for (std::size_t body = 0; body < solver.particles().size(); ++body) {
    const Particle& particle = solver.particles()[solver.particle_of(body)];
    const std::array<double, 3> field = solver.field(body);
    const double q = particle.charge;
    outcomes.push_back({particle.id, {solver.potential(body), q * field[0], q * field[1], q * field[2]}});
  }
  std::sort(outcomes.begin(), outcomes.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
  return outcomes;
}

class Delivery {
 public:
  Delivery(const Team& team, std::uint64_t total)
      : team_(team), total_(total), window_(team.runtime(), Part::results) {}

  Result<std::vector<Outcome>> run(const std::vector<Numbered>& outcomes) {
    const std::uint64_t mine = share_of(total_, team_.rank(), team_.size()).size();
    Status status = team_.agree(window_.reserve(mine * sizeof(Outcome)));
    if (status.ok()) status = team_.named("sending results", send(outcomes));
    if (status.ok()) status = team_.barrier();
    if (!status.ok()) return status;
    const Outcome* first = window_.as<Outcome>();
    return std::vector<Outcome>(first, first + mine);
  }

 private:
  Status send(const std::vector<Numbered>& outcomes) {
    for (std::size_t at = 0; at < outcomes.size();) {
      Status status = send_some(outcomes, at);
      if (!status.ok()) return status;
    }
    return {};
  }

  // The next ones that belong to the same rank, those with consecutive numbers as one item.
  Status send_some(const std::vector<Numbered>& outcomes, std::size_t& at) {
    const unsigned owner = owner_of(outcomes[at].id, total_, team_.size());
    const Share share = share_of(total_, owner, team_.size());
    packed_.clear();
    items_.clear();
    for (; at < outcomes.size() && outcomes[at].id < share.end && items_.size() < kItemsAtOnce; ++at) {
      const bool follows = !packed_.empty() && outcomes[at].id == outcomes[at - 1].id + 1;
      if (follows) {
        items_.back().bytes += sizeof(Outcome);
      } else {
        items_.push_back({.local = std::ptrdiff_t(packed_.size() * sizeof(Outcome)),
                          .remote = std::ptrdiff_t((outcomes[at].id - share.begin) * sizeof(Outcome)),
                          .bytes = sizeof(Outcome)});
      }
      packed_.push_back(outcomes[at].outcome);
    }
    Status status = team_.runtime().put(packed_.data(), window_.at(owner),
                                        polder::Shape(std::span<const polder::ListItem>(items_)), team_.patience());
    if (!status.ok()) return status;
    return team_.runtime().queue().wait(polder::Completion::remote, team_.patience());
  }

  const Team& team_;
  std::uint64_t total_;
  Window window_;
  std::vector<Outcome> packed_;
  std::vector<polder::ListItem> items_;
};

void append_text(const Outcome& outcome, std::string& text) {
  char line[kTextBytes + 1];
  std::snprintf(line, sizeof line, "%24.16e %24.16e %24.16e %24.16e\n", outcome[0], outcome[1], outcome[2], outcome[3]);
  text.append(line, kTextBytes);
}

Status write_share(const apps::File& file, const std::vector<Outcome>& mine, std::uint64_t first, bool binary) {
  const std::size_t bytes = binary ? kBinaryBytes : kTextBytes;
  std::string block;
  for (std::size_t at = 0; at < mine.size(); at += kAtOnce) {
    const std::size_t count = std::min(kAtOnce, mine.size() - at);
    block.clear();
    if (binary) {
      block.assign(reinterpret_cast<const char*>(&mine[at]), count * bytes);
    } else {
      for (std::size_t i = at; i < at + count; ++i) append_text(mine[i], block);
    }
    Status status = file.write_at((first + at) * bytes, std::as_bytes(std::span(block)));
    if (!status.ok()) return status;
  }
  return {};
}

}  // namespace

Result<std::vector<Outcome>> gather_outcomes(const Team& team, const Solver& solver, std::uint64_t total) {
  return Delivery(team, total).run(sorted_outcomes(solver));
}

Status write_outcomes(const Team& team, const std::vector<Outcome>& mine, std::uint64_t total, const ResultFile& file) {
  const bool binary = format_of(file.path, file.format) == FileFormat::binary;
  const std::uint64_t bytes = total * (binary ? kBinaryBytes : kTextBytes);
  Result<apps::OutputFile> output = apps::OutputFile::create(crew_of(team), file.path, bytes);
  if (!output.ok()) return std::move(output).status();
  const Status written = write_share(output->file(), mine, share_of(total, team.rank(), team.size()).begin, binary);
  return output->commit(crew_of(team), written);
}

}  // namespace fmm
