#include "ckpt/saved_parts.hpp"

#include <cstring>

namespace polder {

SavedParts::~SavedParts() = default;

}  // namespace polder

namespace polder::ckpt {

Status check_bytes_of_part(Rank place, Rank places, std::size_t size, std::size_t offset, std::size_t bytes) {
  if (offset <= size && bytes <= size - offset) return {};
  return Status(Code::invalid_size, "checkpoint: bytes " + std::to_string(offset) + " to " +
                                        std::to_string(offset + bytes) + " of part " + std::to_string(place) + " of " +
                                        std::to_string(places) + ", which has " + std::to_string(size));
}

Status PartsInMemory::read(Rank place, std::size_t offset, std::span<std::byte> bytes, Timeout timeout) {
  if (place >= size())
    return Status(Code::invalid_rank,
                  "checkpoint: there is no part " + std::to_string(place) + " of " + std::to_string(size()));
  if (Status status = check_bytes_of_part(place, size(), bytes_of(place), offset, bytes.size()); !status.ok())
    return status;
  if (Status status = reader_.read(saved_, place, Deadline(rt_, timeout)); !status.ok()) return status;
  if (!bytes.empty()) std::memcpy(bytes.data(), reader_.data().data() + offset, bytes.size());
  return {};
}

}  // namespace polder::ckpt
