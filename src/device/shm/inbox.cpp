#include "device/shm/inbox.hpp"

namespace polder::device::shm {

Result<Inbox> Inbox::create(Rank ranks) {
  auto file = util::create_memory_file("polder-inbox", bytes(ranks));
  if (!file.ok()) return std::move(file).status();
  auto mapping = util::map_shared(*file, bytes(ranks));
  if (!mapping.ok()) return std::move(mapping).status();
  Inbox inbox;
  inbox.file_ = *std::move(file);
  inbox.mapping_ = *std::move(mapping);
  inbox.ranks_ = ranks;
  inbox.header().magic = kMagic;
  inbox.header().ranks = ranks;
  return inbox;
}

Result<Inbox> Inbox::map(const util::Fd& file, Rank ranks) {
  auto mapping = util::map_shared(file, bytes(ranks));
  if (!mapping.ok()) return std::move(mapping).status();
  Inbox inbox;
  inbox.mapping_ = *std::move(mapping);
  inbox.ranks_ = ranks;
  if (inbox.header().magic != kMagic || inbox.header().ranks != ranks)
    return Status(Code::system, "a peer's inbox does not belong to this job");
  return inbox;
}

}  // namespace polder::device::shm
