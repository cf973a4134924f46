#include "ckpt/copy_reader.hpp"

#include <cstring>

namespace polder::ckpt {

bool is_whole(const std::byte* copy, std::size_t bytes, std::uint64_t epoch) {
  CopyHeader header;
  std::memcpy(&header, copy, sizeof header);
  return header.epoch == epoch && header.bytes == bytes &&
         header.checksum == checksum_of(epoch, {copy + sizeof header, bytes});
}

CopyReader::~CopyReader() {
  (void)arriving_.wait(Completion::local, std::chrono::seconds(5));
}

std::span<const std::byte> CopyReader::data() const {
  return done_ ? std::span(copy_).subspan(sizeof(CopyHeader)) : std::span<const std::byte>();
}

Status CopyReader::read(const SavedEpoch& from, std::size_t member, const Deadline& deadline) {
  if (has(from.epoch, member)) return {};
  if (Status status = begin(from.epoch, member, deadline); !status.ok()) return status;
  const auto& keepers = from.layout.keepers(member);
  copy_.resize(sizeof(CopyHeader) + from.layout.bytes(member));
  for (; turn_ < keepers.size(); ++turn_, posted_ = false) {
    Status status = read_from(from, keepers[turn_], deadline);
    if (status.timed_out()) return status;
    done_ = status.ok() && is_whole(copy_.data(), from.layout.bytes(member), from.epoch);
    if (done_) break;
  }
  turn_ = 0;
  posted_ = false;
  if (done_) return {};
  return Status(Code::peer_failed, "checkpoint: no whole copy of the part of rank " +
                                       std::to_string(from.ranks[member]) + " in epoch " + std::to_string(from.epoch) +
                                       " can be reached");
}

Status CopyReader::begin(std::uint64_t epoch, std::size_t member, const Deadline& deadline) {
  done_ = false;
  if (epoch_ == epoch && member_ == member) return {};
  if (!arriving_.idle())  // another one was given up half-way
    if (Status status = arriving_.wait(Completion::local, deadline); status.timed_out()) return status;
  epoch_ = epoch;
  member_ = member;
  turn_ = 0;
  posted_ = false;
  return {};
}

Status CopyReader::read_from(const SavedEpoch& from, std::size_t keeper, const Deadline& deadline) {
  if (!posted_) {
    const GlobalAddress there = {from.ranks[keeper], from.segment,
                                 from.layout.place(member_, keeper, unsigned(from.epoch & 1))};
    Status status = rt_.get(copy_.data(), there, copy_.size(), Post(arriving_, deadline));
    if (status.timed_out() || status.code() == Code::queue_full) return Code::timeout;
    if (!status.ok()) return status;
    posted_ = true;
  }
  return arriving_.wait(Completion::local, deadline);
}

}  // namespace polder::ckpt
