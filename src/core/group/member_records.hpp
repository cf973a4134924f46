// A record that each member of a group shows to the others, for protocols that must work when collectives do not: it is
// found without any help of its owner's thread, however far that is. Where the record is mapped it is read by loads;
// else it is asked for by a request, which the owner answers as soon as there is a newer one.
//
// Costs: to show, a store of the record, and an answer to each member that asked. To look, a copy of it; over a network
// one request for each record that is seen.
#pragma once

#include "core/group/group_ports.hpp"
#include "core/message/request.hpp"
#include "util/mutex.hpp"

#include <polder/status.hpp>
#include <polder/types.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace polder::core {

class Question;
struct Peer;
struct PeerSegment;

// The records of one group at one member. One thread at a time shows and looks.
class MemberRecords {
 public:
  using Words = std::span<std::uint64_t>;

  // A word for whatever, and two sets of members.
  static std::size_t words(Rank members) { return kHead + 2 * sets(members); }
  static std::size_t sets(Rank members) { return (std::size_t{members} + 63) / 64; }
  static constexpr std::size_t kHead = 12;
  // In the memory of a member: a checksum and a number stand in front.
  static std::size_t bytes(Rank members) { return (words(members) + 2) * sizeof(std::uint64_t); }

  // `offset`: of a member's record in the memory of the group, the same at all.
  MemberRecords(const GroupPorts& ports, std::span<const Rank> ranks, std::size_t offset);

  std::size_t end() const { return offset_ + bytes(Rank(ranks_.size())); }

  // The group of this tag is announced; its memory is zeros.
  void open(std::uint64_t tag, std::byte* memory);
  void close();  // before the memory goes

  // ---- what this member shows ----
  // limit: a record is too long for a message of the device between the members.
  Status check_size() const;
  void show(std::span<const std::uint64_t> record);
  // Wakes a member that looks at this one's record, if its memory is mapped. Others are woken by the answer.
  void ring(Rank member);
  // What the group is called, by the same name at all members that get so far. Not 0.
  void call(std::uint64_t incarnation) { incarnation_ = incarnation; }
  std::uint64_t incarnation() const { return incarnation_; }

  // ---- what others show ----
  enum class Look : std::uint8_t {
    seen,     // the latest that is known
    unseen,   // nothing has come yet
    deleted,  // the member has no such group any more
  };
  Look look(Rank member, Words record);

  // ---- for the table of groups ----
  // Answers with the record if it is not the one of that number, else keeps the caller until there is a newer one.
  void serve(const Caller& caller, std::uint64_t seen);

 private:
  struct Known {
    const PeerSegment* segment = nullptr;  // null: not mapped, or not found yet
    bool deleted = false;
    bool seen = false;
    std::vector<std::uint64_t> answer = {};  // a number and the record, over a network
    std::shared_ptr<Question> asked = nullptr;
  };

  void find(Peer& peer, Known& known);
  Look load(const Known& known, Words record) const;
  Look ask(Peer& peer, Known& known, Words record);

  const GroupPorts& ports_;
  const std::span<const Rank> ranks_;
  const std::size_t offset_;
  const std::size_t words_;
  std::uint64_t tag_ = 0;
  std::uint64_t incarnation_ = 0;  // 0: not known
  std::atomic<std::uint64_t>* memory_ = nullptr;
  std::map<Rank, Known> known_;

  util::Mutex mutex_;
  std::vector<std::uint64_t> own_;  // its number, and the record
  std::vector<Caller> callers_;     // that wait for a newer one
  bool closed_ = true;
};

}  // namespace polder::core
