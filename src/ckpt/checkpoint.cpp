// Registering, opening, starting and committing.
#include "ckpt/checkpoint_state.hpp"

#include <algorithm>
#include <cstring>

namespace polder {

using ckpt::CopyHeader;
using ckpt::Deadline;
using ckpt::MemberPart;

namespace {

// What a member says when it opens a checkpoint: its part, and what has to be the same at all.
struct ToldSpec {
  MemberPart part;
  std::uint64_t mirrors = 0, first_epoch = 0, memory_limit = 0;
};

// The same at all members. Where epochs differ copies would be found wrong when they are needed.
Status check_told(const Group& group, std::span<const ToldSpec> told) {
  struct Field {
    const char* name;
    std::uint64_t ToldSpec::*value;
  };
  for (const Field& field : {Field{"mirrors", &ToldSpec::mirrors}, Field{"first_epoch", &ToldSpec::first_epoch},
                             Field{"memory_limit", &ToldSpec::memory_limit}})
    for (std::size_t member = 1; member < told.size(); ++member)
      if (told[member].*field.value != told[0].*field.value)
        return Status(Code::invalid_argument, std::string("checkpoint: CheckpointSpec::") + field.name + " is " +
                                                  std::to_string(told[0].*field.value) + " at rank " +
                                                  std::to_string(group.absolute(0)) + " and " +
                                                  std::to_string(told[member].*field.value) + " at rank " +
                                                  std::to_string(group.absolute(Rank(member))));
  return {};
}

}  // namespace

Checkpoint::Checkpoint(Runtime& rt, Group& group, const CheckpointSpec& spec)
    : state_(std::make_unique<State>(rt, group, spec)) {}

Checkpoint::~Checkpoint() {
  // What travels still reads from memory that ends here.
  (void)state_->travelling.wait(Completion::local, std::chrono::seconds(5));
}

Status Checkpoint::add(void* data, std::size_t bytes) {
  if (state_->opening)  // the others may have heard of the bytes, although it timed out
    return Status(Code::invalid_argument,
                  "checkpoint: range " + std::to_string(state_->ranges.size()) + " was added after open() had begun");
  if (data == nullptr && bytes != 0)
    return Status(Code::invalid_argument,
                  "checkpoint: range " + std::to_string(state_->ranges.size()) + " has no address");
  state_->ranges.push_back({static_cast<std::byte*>(data), bytes});
  return {};
}

// Ends in an agreement: where a member dies meanwhile, either all that live have opened it or none has.
Status Checkpoint::open(Timeout timeout) {
  State& s = *state_;
  if (s.opened || s.closed) return Status(Code::invalid_argument, "checkpoint: open() was called before");
  const Deadline deadline(s.rt, timeout);
  s.opening = true;
  if (!s.entered) {
    s.trouble = s.make_room(deadline);
    if (s.trouble.timed_out()) return s.trouble;
    s.reached("open: room");
  }
  Agreement agreed;
  if (auto status = s.vote(s.trouble.ok() ? ~std::uint64_t{0} : 0, deadline, agreed); !status.ok()) return status;
  s.reached("open: decided");
  s.opened = agreed.failed.empty() && agreed.bits == ~std::uint64_t{0};
  s.closed = !s.opened;
  if (s.opened || !s.trouble.ok()) return s.trouble;
  const Rank who = agreed.failed.empty() ? *agreed.dissenter : agreed.failed.front();
  return Status(Code::peer_failed, "checkpoint: rank " + std::to_string(who) + " could not open it");
}

Status Checkpoint::State::make_room(const Deadline& deadline) {
  if (layout.members() == 0) {
    ToldSpec mine{{}, spec.mirrors, spec.first_epoch, spec.memory_limit};
    for (const auto& range : ranges) mine.part.bytes += range.bytes;
    const auto node = rt.node(rt.rank());
    mine.part.node = node.ok() ? *node : rt.rank();
    const auto told = group.allgather(std::as_bytes(std::span(&mine, 1)), deadline);
    if (!told.ok()) return told.status();
    std::vector<ToldSpec> all(group.size());
    std::memcpy(all.data(), told->data(), told->size());
    reached("open: gathered");
    if (auto status = check_told(group, all); !status.ok()) return status;
    std::vector<MemberPart> parts;
    for (const ToldSpec& each : all) parts.push_back(each.part);
    if (auto status = lay_out(parts); !status.ok()) return status;
  }
  if (room == nullptr) {
    auto made = rt.create_allocation(group, {.size = layout.memory(me())});
    if (!made.ok()) return std::move(made).status();
    room = *std::move(made);
  }
  return room->commit(deadline);
}

Status Checkpoint::State::lay_out(std::span<const MemberPart> parts) {
  if (spec.mirrors >= parts.size())
    return Status(Code::invalid_argument, "checkpoint: " + std::to_string(spec.mirrors) +
                                              " mirrors were asked for, and " + std::to_string(parts.size()) +
                                              " members have " + std::to_string(parts.size() - 1) + " others each");
  ckpt::CopyLayout made({parts.begin(), parts.end()}, spec.mirrors);
  for (std::size_t member = 0; member < parts.size(); ++member)
    if (spec.memory_limit != 0 && made.memory(member) > spec.memory_limit)
      return Status(Code::limit, "checkpoint: " + named(member) + " would keep copies of " +
                                     std::to_string(made.memory(member)) + " bytes, and " +
                                     std::to_string(spec.memory_limit) + " are allowed");
  layout = std::move(made);
  return {};
}

// ---- start ----

bool Checkpoint::started() const {
  return state_->copied;
}
std::uint64_t Checkpoint::epoch() const {
  return state_->last;
}

Status Checkpoint::start(Timeout timeout) {
  return state_->start(state_->ranges, Deadline(state_->rt, timeout));
}

Status Checkpoint::start(std::span<const std::byte> part, Timeout timeout) {
  const State::Range whole = {const_cast<std::byte*>(part.data()), part.size()};  // it is read only
  if (state_->opened && part.size() != state_->layout.bytes(state_->me()))
    return Status(Code::invalid_size, "checkpoint: a part of " + std::to_string(part.size()) +
                                          " bytes, and the ranges have " +
                                          std::to_string(state_->layout.bytes(state_->me())));
  return state_->start({&whole, 1}, Deadline(state_->rt, timeout));
}

Status Checkpoint::State::start(std::span<const Range> of, const Deadline& deadline) {
  if (!opened) return Status(Code::invalid_argument, "checkpoint: start() before open()");
  if (closed) return Status(Code::peer_failed, "checkpoint: " + why + "; restore() is next");
  if (copied && pieces.empty()) return Status(Code::busy, "checkpoint: the last start() has not been committed");
  if (!copied) take_copy(last + 1, of);
  return post(deadline);
}

Status Checkpoint::State::post(const Deadline& deadline) {
  const std::byte* const mine = copy_here(me(), last + 1);
  for (; !pieces.empty(); pieces.pop_front()) {
    const Piece piece = pieces.front();
    reached("start: piece");
    const GlobalAddress there = room->at(group.absolute(Rank(piece.keeper)),
                                         layout.place(me(), piece.keeper, unsigned((last + 1) & 1)) + piece.offset);
    auto status = rt.put(mine + piece.offset, there, piece.bytes, Post(travelling, deadline));
    if (status.timed_out() || status.code() == Code::queue_full) return Code::timeout;
    if (!status
             .ok()) {  // peer_failed, or invalid_segment: it lives, and has ended its checkpoint because another one died
      pieces.clear();
      return trouble = Status(Code::peer_failed,
                              "checkpoint: " + named(piece.keeper) + " takes no copy: " + status.to_string());
    }
  }
  reached("start: posted");
  return {};
}

// Page by page where only changes travel: this copy's half holds what the mirrors' halves hold.
void Checkpoint::State::take_copy(std::uint64_t epoch, std::span<const Range> of) {
  constexpr std::size_t kPage = 4096;
  reached("start: copy");
  std::byte* const header = copy_here(me(), epoch);
  std::byte* const data = header + sizeof(CopyHeader);
  const std::size_t total = layout.bytes(me());
  std::vector<Piece> changed;
  std::uint64_t at = 0;
  for (const auto& range : of)
    for (std::size_t from = 0; from < range.bytes;) {
      const std::size_t bytes = spec.changed_pages ? std::min(kPage, range.bytes - from) : range.bytes;
      if (!spec.changed_pages || std::memcmp(data + at, range.data + from, bytes) != 0) {
        std::memcpy(data + at, range.data + from, bytes);
        const std::uint64_t offset = sizeof(CopyHeader) + at;
        if (!changed.empty() && changed.back().offset + changed.back().bytes == offset)
          changed.back().bytes += bytes;
        else
          changed.push_back({0, offset, bytes});
      }
      from += bytes;
      at += bytes;
    }
  const CopyHeader made = {epoch, total, ckpt::checksum_of(epoch, {data, total})};
  std::memcpy(header, &made, sizeof made);
  changed.push_back({0, 0, sizeof made});
  for (const std::size_t keeper : layout.keepers(me()))
    for (Piece piece : changed)
      if (keeper != me()) pieces.push_back({keeper, piece.offset, piece.bytes});
  copied = true;
}

// ---- commit ----

Status Checkpoint::commit(Timeout timeout) {
  State& s = *state_;
  if (s.closed) return Status(Code::peer_failed, "checkpoint: " + s.why + "; restore() is next");
  if (!s.copied) return Status(Code::invalid_argument, "checkpoint: commit() without start()");
  const Deadline deadline(s.rt, timeout);
  if (!s.entered) {
    if (!s.pieces.empty() && s.trouble.ok())
      if (auto status = s.post(deadline); status.timed_out()) return status;
    auto status = s.travelling.wait(Completion::remote, deadline);
    if (status.timed_out()) return status;
    if (!status.ok() && s.trouble.ok()) s.trouble = std::move(status);
    s.reached("commit: arrived");
  }
  return s.decide(s.trouble.ok(), deadline);
}

// One agreement a round. An epoch counts if all members say that their part is saved; any other round is the last one.
Status Checkpoint::State::decide(bool saved, const Deadline& deadline) {
  Agreement agreed;
  if (auto status = vote(saved ? ~std::uint64_t{0} : 0, deadline, agreed); !status.ok()) return status;
  reached("commit: decided");
  if (agreed.failed.empty() && agreed.bits == ~std::uint64_t{0}) {
    ++last;
    copied = false;
    return {};
  }
  closed = true;
  why = "epoch " + std::to_string(last + 1) + " was given up because ";
  if (!agreed.failed.empty())
    why += "rank " + std::to_string(agreed.failed.front()) + " is gone";
  else
    why += "rank " + std::to_string(*agreed.dissenter) + " restores, or could not save its part";
  failed = std::move(agreed.failed);
  return Status(Code::peer_failed, "checkpoint: " + why + "; restore() is next");
}

// An agreement that goes on after a timeout with the bits that it began with.
Status Checkpoint::State::vote(std::uint64_t bits, const Deadline& deadline, Agreement& agreed) {
  if (!entered) entered = bits;
  auto result = group.agree(*entered, deadline);
  if (!result.ok()) {
    given_up = result.status().code() == Code::peer_failed;
    return std::move(result).status();
  }
  entered.reset();
  agreed = *std::move(result);
  return {};
}

}  // namespace polder
