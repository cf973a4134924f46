// The groups of this rank, and the questions of peers for them: members find each other by the tag of a group, in the
// owner's table where that is mapped, else by a request that is answered as soon as the owner has the group.
#pragma once

#include "core/group/group_ports.hpp"
#include "core/message/request.hpp"
#include "util/mutex.hpp"

#include <polder/status.hpp>
#include <polder/types.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace polder::core {

class GroupState;
class MemberRecords;
class Question;
struct Peer;

// A group as its owner answers for it: where it lies in the owner's table, and which commit it is.
struct FoundGroup {
  std::uint64_t index = 0;
  std::uint64_t nonce = 0;
  std::uint64_t generation = 0;  // of its segment; 0: not known
  std::uint64_t committed = 0;   // 1: by its owner
};

// Which groups are found: any that has been announced, or none before its owner has committed it.
enum class Found : std::uint8_t { announced, committed };

// Thread safe.
class GroupTable {
 public:
  explicit GroupTable(const GroupPorts& ports);

  const GroupPorts& ports() const { return ports_; }

  // Enters the group that `make(slot, others)` returns; nobody else changes the table meanwhile. limit: it is full.
  template <class Make>
  Result<std::unique_ptr<GroupState>> add(Make&& make) {
    std::lock_guard lock(mutex_);
    auto slot = free_slot();
    if (!slot.ok()) return std::move(slot).status();
    std::unique_ptr<GroupState> group = make(*slot, std::span<GroupState* const>(groups_));
    groups_[*slot] = group.get();
    return group;
  }
  void remove(std::uint32_t slot);
  bool has_room();  // for one more, this instant
  // Calls `visit(group)` for each that exists; none ends meanwhile.
  template <class Visit>
  void for_each(Visit&& visit) {
    std::lock_guard lock(mutex_);
    for (GroupState* group : groups_)
      if (group != nullptr) visit(*group);
  }

  // From now on peers find the group in this slot, until it is withdrawn.
  void announce(std::uint32_t slot, std::uint64_t tag, std::uint64_t nonce);
  void note_committed(std::uint32_t slot, std::uint64_t tag, std::uint64_t nonce);
  void withdraw(std::uint32_t slot, std::uint64_t tag);

  // Asks a peer whose table is not mapped for a group. Answered with a FoundGroup, maybe much later. invalid_group, only
  // where a committed one is wanted: it has none of this tag, committed or not.
  Status ask(Peer& peer, std::uint64_t tag, Found wanted, Question& question);

  // Peers that cannot load these records ask for them, until they are closed.
  void open(MemberRecords& records, std::uint64_t tag);
  void close(MemberRecords& records, std::uint64_t tag);

 private:
  struct Finder {
    Caller caller;
    std::uint64_t tag;
    Found wanted;
  };

  Result<std::uint32_t> free_slot() const;
  void serve(const Request& request);
  bool answer(const Finder& finder);
  void answer_finders(std::uint64_t tag);
  void serve_record(const Request& request);

  const GroupPorts ports_;
  util::Mutex mutex_;
  std::vector<GroupState*> groups_;  // by slot, as in the root's table
  util::Mutex finders_mutex_;
  std::vector<Finder> finders_;  // peers that wait for a group that is not there yet
  util::Mutex records_mutex_;
  std::map<std::uint64_t, MemberRecords*> records_;  // by tag

  // What deleted groups were called, the latest of each tag. As many tags as a member may delete groups of while another
  // one is still in an agreement of one of them.
  struct Ended {
    std::uint64_t tag;
    std::uint64_t incarnation;
  };
  static constexpr std::size_t kMostEnded = 256;
  std::deque<Ended> ended_;
  std::uint64_t ended(std::uint64_t tag) const;  // 0: none is known. REQUIRES: records_mutex_ held
};

}  // namespace polder::core
