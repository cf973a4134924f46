// A shuffle between ranks that are threads: every rank leaves its records in mailboxes and fetches its own after a
// barrier. For tests of everything around the shuffle.
#pragma once

#include "shuffle.hpp"
#include "team.hpp"

#include <string>
#include <vector>

namespace terasort {

class MailboxShuffle final : public Shuffle {
 public:
  // [to][from]: records, one after another. Shared by the ranks of a job.
  using Mailboxes = std::vector<std::vector<std::string>>;

  static Mailboxes mailboxes(unsigned ranks) { return Mailboxes(ranks, std::vector<std::string>(ranks)); }

  MailboxShuffle(Team& team, Mailboxes& mailboxes) : team_(team), mailboxes_(mailboxes) {}

  std::uint64_t buffer_bytes(std::uint64_t) const override { return 0; }
  Status prepare() override { return {}; }

  Status run(InputPart& input, const Splitters& splitters, RecordStore& store, Progress&) override {
    Status status;
    while (status.ok() && !input.at_end()) status = post_chunk(input, splitters);
    status = agree(team_, status);
    return status.ok() ? fetch(store) : status;
  }

 private:
  Status post_chunk(InputPart& input, const Splitters& splitters) {
    const Result<std::span<const std::byte>> chunk = input.read_chunk();
    if (!chunk.ok()) return chunk.status();
    for (std::size_t at = 0; at < chunk->size(); at += kRecordBytes) {
      const std::byte* record = chunk->data() + at;
      const unsigned to = splitters.rank_of(record, input.chunk_position() + at / kRecordBytes);
      mailboxes_[to][team_.rank()].append(reinterpret_cast<const char*>(record), kRecordBytes);
    }
    return {};
  }

  Status fetch(RecordStore& store) {
    for (const std::string& mail : mailboxes_[team_.rank()]) {
      const std::uint64_t count = mail.size() / kRecordBytes;
      if (count > store.room()) return share_too_large(store.capacity());
      store.append(reinterpret_cast<const std::byte*>(mail.data()), count);
    }
    return {};
  }

  Team& team_;
  Mailboxes& mailboxes_;
};

}  // namespace terasort
