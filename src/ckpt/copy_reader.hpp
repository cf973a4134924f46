// Reading a member's part of an epoch from whoever keeps a whole copy of it: also at ranks that were no members.
#pragma once

#include "ckpt/copy_layout.hpp"
#include "ckpt/deadline.hpp"

#include <polder/handle.hpp>
#include <polder/runtime.hpp>

#include <string>

namespace polder::ckpt {

// Where the copies of an epoch are.
struct SavedEpoch {
  std::uint64_t epoch = 0;
  SegmentId segment = 0;    // the same at all members
  std::vector<Rank> ranks;  // of the job, by member
  CopyLayout layout;
};

// Header and data of a copy. It has come whole, and is of that epoch.
bool is_whole(const std::byte* copy, std::size_t bytes, std::uint64_t epoch);

class CopyReader {
 public:
  explicit CopyReader(Runtime& rt) : rt_(rt) {}
  ~CopyReader();  // what is under way writes to memory that ends here: waits for it, 5 s at most
  CopyReader(const CopyReader&) = delete;
  CopyReader& operator=(const CopyReader&) = delete;

  // From the first keeper that has a whole copy. timeout: call again to go on; peer_failed: there is none.
  Status read(const SavedEpoch& from, std::size_t member, const Deadline& deadline);
  // What was read last, and of which member; empty if nothing was.
  std::span<const std::byte> data() const;
  bool has(std::uint64_t epoch, std::size_t member) const { return done_ && epoch_ == epoch && member_ == member; }

 private:
  Status begin(std::uint64_t epoch, std::size_t member, const Deadline& deadline);
  Status read_from(const SavedEpoch& from, std::size_t keeper, const Deadline& deadline);

  Runtime& rt_;
  std::uint64_t epoch_ = 0;
  std::size_t member_ = 0;
  std::size_t turn_ = 0;  // among the keepers of member_
  bool posted_ = false;
  bool done_ = false;
  std::vector<std::byte> copy_;
  Handle arriving_;
};

}  // namespace polder::ckpt
