// Where the vectors of a call lie: in the user's buffers, one behind the other in memory of the call, or there in a wider
// form.
#include "coll/consistent/call.hpp"

#include "core/group/group_state.hpp"

#include <algorithm>
#include <string>

namespace polder::coll {
namespace {

std::size_t end_of(const std::vector<Block>& blocks) {
  std::size_t end = 0;
  for (const Block& block : blocks)
    if (block.bytes != 0) end = std::max(end, block.begin + block.bytes);
  return end;
}

bool have_gaps(const std::vector<Block>& blocks) {
  std::size_t bytes = 0;
  for (const Block& block : blocks) bytes += block.bytes;
  return bytes < end_of(blocks);
}

}  // namespace

void Call::place_vectors() {
  if (reduces(kind_) && spec_.narrow_size != 0) {
    wide_.resize(2 * vector());
    send_ = wide_.data();
    receive_ = wide_.data() + vector();
  } else {
    send_ = whole_send_;
    receive_ = whole_receive_;
  }
}

// For algorithms that need what is sent one behind the other, and what comes.
void Call::place_blocks() {
  if (takes_pieces()) return;
  if (send_blocks_.used()) {
    whole_send_ = send_blocks_.packed();
    send_blocks_.gather();
  }
  if (receive_blocks_.used()) {
    whole_receive_ = receive_blocks_.packed();
    // What does not come is put back as it was.
    if ((kind_ == Kind::broadcast && group_->index() == root_) || have_gaps(received_)) receive_blocks_.gather();
  }
  place_vectors();
}

// Of neighbours a member may have several pieces, or none, and they go in one letter.
static std::vector<Block> blocks_in_turn(std::span<const StridedPart> parts, std::span<const std::uint32_t> each) {
  std::vector<Block> blocks;
  std::size_t begin = 0, part = 0;
  for (std::size_t member = 0; member < (each.empty() ? parts.size() : each.size()); ++member) {
    blocks.push_back({begin, 0});
    for (const std::size_t end = part + (each.empty() ? 1 : each[member]); part < end; ++part)
      blocks.back().bytes += parts[part].blocks * parts[part].size;
    begin += blocks.back().bytes;
  }
  return blocks;
}

void Call::place_sent_blocks(const Arguments& a) {
  sent_ = blocks_in_turn(a.sent_blocks, a.sent_each);
  send_blocks_.lay_out(const_cast<void*>(a.send), a.sent_blocks);
}

void Call::place_received_blocks(const Arguments& a) {
  received_ = blocks_in_turn(a.received_blocks, a.received_each);
  receive_blocks_.lay_out(a.receive, a.received_blocks);
}

void Call::mark_neighbours(const Arguments& a) {
  for (std::size_t member = 0; member < sent_.size(); ++member) {
    sent_[member].awaited = a.sent_each[member] != 0;
    received_[member].awaited = a.received_each[member] != 0;
  }
}

Status Call::lay_out(const StridedPart* send, const StridedPart* receive) {
  POLDER_ASSERT(!under_way());
  if (kind_ == Kind::neighbours)
    return {Code::invalid_argument, "neighbours: where their blocks lie was said when the call was made"};
  const auto check = [this](const StridedPart* part, std::size_t bytes, const char* what) -> Result<std::size_t> {
    if (part == nullptr || bytes == 0) return bytes;
    const auto extent = BlockLayout::measure({part, 1});
    if (!extent) return extent.status();
    if (extent->bytes == bytes) return extent->extent;
    return Status{Code::invalid_size, std::string(to_string(kind_)) + ": blocks of " + std::to_string(extent->bytes) +
                                          " bytes for a buffer to " + what + " of " + std::to_string(bytes)};
  };
  const auto sent = check(send, bytes_to_send(), "send"), received = check(receive, bytes_to_receive(), "receive");
  if (!sent) return sent.status();
  if (!received) return received.status();
  const auto *const first = static_cast<const std::byte*>(given_send_), *const other =
                                                                            static_cast<std::byte*>(given_receive_);
  if (*sent != 0 && *received != 0 && first != other && first < other + *received && other < first + *sent)
    return {Code::invalid_argument, std::string(to_string(kind_)) + ": the buffers overlap"};
  whole_send_ = first;
  whole_receive_ = static_cast<std::byte*>(given_receive_);
  send_blocks_.clear();
  receive_blocks_.clear();
  if (send != nullptr && bytes_to_send() != 0) send_blocks_.lay_out(const_cast<void*>(given_send_), {send, 1});
  if (receive != nullptr && bytes_to_receive() != 0) receive_blocks_.lay_out(given_receive_, {receive, 1});
  place_vectors();
  return {};
}

// Bytes of the buffers of this member, as Call::check() reckons them.
std::size_t Call::bytes_to_send() const {
  const bool at_root = group_->index() == root_;
  switch (kind_) {
    case Kind::reduce:
    case Kind::allreduce:
    case Kind::reduce_scatter:
    case Kind::scan:
    case Kind::exscan: return spec_.count * given_element();
    case Kind::allgather:
    case Kind::gather: return parts_in_bytes().bytes(group_->index());
    case Kind::scatter: return at_root ? begins_.back() : 0;
    case Kind::neighbours:
    case Kind::alltoall: return end_of(sent_);
    default: return 0;
  }
}

std::size_t Call::bytes_to_receive() const {
  const bool at_root = group_->index() == root_;
  switch (kind_) {
    case Kind::broadcast: return bytes_;
    case Kind::reduce: return at_root ? spec_.count * given_element() : 0;
    case Kind::allreduce:
    case Kind::scan:
    case Kind::exscan: return spec_.count * given_element();
    case Kind::reduce_scatter: return result_elements() * given_element();
    case Kind::allgather: return begins_.back();
    case Kind::gather: return at_root ? begins_.back() : 0;
    case Kind::scatter: return parts_in_bytes().bytes(group_->index());
    case Kind::neighbours:
    case Kind::alltoall: return end_of(received_);
    default: return 0;
  }
}

std::size_t Call::result_elements() const {
  if (kind_ == Kind::reduce && group_->index() != root_) return 0;
  if (kind_ == Kind::exscan && group_->index() == 0) return 0;
  if (kind_ == Kind::reduce_scatter) return begins_[group_->index() + 1] - begins_[group_->index()];
  return spec_.count;
}

void Call::finish() {
  if (reduces(kind_) && spec_.narrow_size != 0) spec_.narrow(receive_, whole_receive_, result_elements());
  if (receive_blocks_.used() && !takes_pieces())
    receive_blocks_.scatter(reduces(kind_) ? result_elements() * given_element() : bytes_to_receive());
}

}  // namespace polder::coll
