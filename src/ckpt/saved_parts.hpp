// The parts of an epoch that lie in the memory of members, for whoever redistributes them.
#pragma once

#include "ckpt/copy_reader.hpp"

#include <polder/saved_parts.hpp>

namespace polder::ckpt {

class PartsInMemory final : public SavedParts {
 public:
  PartsInMemory(Runtime& rt, const SavedEpoch& saved) : rt_(rt), saved_(saved), reader_(rt) {}

  Rank size() const override { return Rank(saved_.ranks.size()); }
  std::size_t bytes_of(Rank place) const override { return saved_.layout.bytes(place); }
  Status read(Rank place, std::size_t offset, std::span<std::byte> bytes, Timeout timeout) override;

 private:
  Runtime& rt_;
  const SavedEpoch& saved_;
  CopyReader reader_;
};

// Whether a part of `size` bytes has these.
Status check_bytes_of_part(Rank place, Rank places, std::size_t size, std::size_t offset, std::size_t bytes);

}  // namespace polder::ckpt
