// The epochs in a directory. One is written under another name, each file of it synced, and renamed when it is complete: so
// what has its name is whole, unless the disk has damaged it since.
#pragma once

#include "ckpt/epoch_format.hpp"

#include <polder/working_set.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace polder::ckpt {

// Where an epoch is written. Of each attempt of each formation another one: what a member that is behind removes, or still writes,
// is not that of the others.
struct EpochDraft {
  std::uint64_t epoch = 0;
  std::uint64_t formation = 0;
  std::uint64_t attempt = 0;  // the same at all members
};

// What was found out of the epochs on disk.
struct EpochsSeen {
  std::uint64_t whole = 0;         // the last one that is known to be; 0: of none
  std::uint64_t whole_before = 0;  // ... and the one before it
  std::vector<std::uint64_t> torn;

  std::uint64_t last_before(std::uint64_t epoch) const { return whole < epoch ? whole : whole_before; }
  void remember(std::uint64_t epoch) {
    if (epoch != whole) whole_before = std::exchange(whole, epoch);
  }
};

class EpochFiles {
 public:
  explicit EpochFiles(std::string directory) : directory_(std::move(directory)) {}

  // In what follows nothing means that it is missing or damaged; an error, that this could not be found out.
  Result<std::vector<std::uint64_t>> epochs() const;                   // those with a name, the latest first
  Result<std::optional<EpochTable>> table(std::uint64_t epoch) const;  // REQUIRES: the epoch is one of those
  // The whole file of a part: its header, and the data behind it.
  Result<std::optional<std::vector<std::byte>>> part(const EpochTable& table, std::size_t place) const;

  // `copy` is a header and its data.
  Status write_part(const EpochDraft& draft, std::uint64_t place, std::span<const std::byte> copy) const;
  // REQUIRES: all parts of the draft are written. system: not here, for one. Removes epochs before this one, but for the one that was
  // `seen` to be whole, later ones that are torn, and drafts of others.
  Status publish(const EpochDraft& draft, const EpochTable& table, const EpochsSeen& seen) const;
  void discard(const EpochDraft& draft) const;

 private:
  std::string path_of(std::uint64_t epoch) const { return directory_ + "/epoch-" + std::to_string(epoch); }
  std::string path_of(const EpochDraft& draft) const {
    return path_of(draft.epoch) + ".new." + std::to_string(draft.formation) + "." + std::to_string(draft.attempt);
  }
  void tidy(std::uint64_t latest, const EpochsSeen& seen) const;

  std::string directory_;
};

// The parts of an epoch on disk. The one read last is at hand.
class PartsOnDisk final : public SavedParts {
 public:
  PartsOnDisk(const EpochFiles& files, EpochTable table) : files_(files), table_(std::move(table)) {}

  Rank size() const override { return Rank(table_.parts.size()); }
  std::size_t bytes_of(Rank place) const override { return table_.parts[place].bytes; }
  Status read(Rank place, std::size_t offset, std::span<std::byte> bytes, Timeout timeout) override;
  Result<bool> is_whole(Rank place);  // an error: that could not be found out
  std::uint64_t epoch() const { return table_.epoch; }

 private:
  const EpochFiles& files_;
  EpochTable table_;
  std::vector<std::byte> file_;  // of place_, if it is not empty
  Rank place_ = 0;
};

}  // namespace polder::ckpt
