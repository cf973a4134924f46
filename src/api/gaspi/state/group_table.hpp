// The groups by id: what the program has defined, and what is under way in them (GASPI 17.1, section 6).
#pragma once

#include "api/common/turns.hpp"
#include "api/gaspi/base/configuration.hpp"
#include "api/gaspi/base/symbols.hpp"
#include "api/gaspi/state/creation_agreement.hpp"
#include "api/gaspi/state/reducer.hpp"

#include <polder/group.hpp>
#include <polder/runtime.hpp>

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace polder::gaspi {

class GroupEntry {
 public:
  GroupEntry() = default;
  // GASPI_GROUP_ALL: committed from the start.
  explicit GroupEntry(Group& world);

  gaspi_return_t add(Rank rank);
  // Collective; GASPI_TIMEOUT: again.
  gaspi_return_t commit(Runtime& runtime, Timeout timeout);
  std::vector<Rank> ranks() const;

  // Null before commit() has succeeded.
  Group* committed() const { return committed_.load(std::memory_order_acquire); }
  bool in_commit() const { return in_commit_.load(std::memory_order_acquire); }

 private:
  std::unique_ptr<Group> group_;  // outlives what may be unfinished on it, and is given up with the entry

 public:
  // A barrier is one thread's, and so is any other collective: the standard leaves open what a second thread meets.
  api::Turns barrier_turns;
  api::Turns collective_turns;
  // Of the thread whose turn it is.
  Reducer reducer;
  CreationAgreement agreement;

 private:
  gaspi_return_t define(Runtime& runtime);

  mutable std::mutex mutex_;
  std::vector<Rank> ranks_;  // ascending
  std::atomic<bool> in_commit_{false};
  std::atomic<Group*> committed_{nullptr};
};

class GroupTable {
 public:
  GroupTable() = default;
  ~GroupTable();
  GroupTable(const GroupTable&) = delete;
  GroupTable& operator=(const GroupTable&) = delete;

  void set_all(Group& world);

  // Any thread, no lock. Null: no such group.
  GroupEntry* find(gaspi_group_t id) const { return entries_[id].load(std::memory_order_acquire); }

  gaspi_return_t create(unsigned limit, gaspi_group_t& id);
  // `given_up`: the segment of this rank whose creation the group had not finished, if there is one.
  gaspi_return_t remove(gaspi_group_t id, std::optional<gaspi_segment_id_t>& given_up);
  // Whether the segment is one whose creation a group has not finished, and which is given up now. False, too, where a thread is in
  // a collective of that group.
  bool give_up(gaspi_segment_id_t segment);
  unsigned count() const;

 private:
  mutable std::mutex mutex_;  // of those who create and remove
  std::atomic<GroupEntry*> entries_[256] = {};
};

}  // namespace polder::gaspi
