// The ranks that share containers: a group, the runtime under it, and how long its calls may wait.
//
//   Team team(rt, rt.world(), 10s);
#pragma once

#include <polder/containers/failure.hpp>
#include <polder/runtime.hpp>

#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace polder::containers {

// A value of three words; runtime and group must outlive it and what is made with it. Units are members of the group, by
// their number in it. One thread of a rank at a time is in collective calls of a team.
//
// A collective that ends with a Failure (timeout), or in the middle by what a function of the caller's or a transfer to one
// unit throws, or the end of a container that the others do not come to in time, is not gone on with: nobody calls it again,
// and nobody reads or writes memory that it had. The others may have ended it, or may still come to it, so from then on this
// unit is out of step with them. All further collectives with that group, of whatever team, throw Failure (invalid_group)
// here, and fail there or run into their time limits: who wants to go on makes another group, by Group::shrink() for one.
class Team {
 public:
  // REQUIRES: the group is committed.
  Team(Runtime& runtime, Group& group, Timeout timeout) : runtime_(&runtime), group_(&group), timeout_(timeout) {}

  Runtime& runtime() const { return *runtime_; }
  Group& group() const { return *group_; }
  Timeout timeout() const { return timeout_; }
  // The same ranks with another patience.
  Team within(Timeout timeout) const { return {*runtime_, *group_, timeout}; }

  std::size_t units() const { return group_->size(); }
  Rank unit() const { return group_->index(); }
  Rank rank(Rank unit) const { return group_->absolute(unit); }

  // Throws Failure unless `status` is ok; the text says what was done at which rank, and which members have failed.
  // `what` is that text, or a function that makes it, which only a failure calls: texts cost more than small operations.
  template <class What>
  void check(const Status& status, const What& what) const {
    if (!status.ok()) [[unlikely]]
      fail(status, text_of(what));
  }
  template <class T, class What>
  T take(Result<T> result, const What& what) const {
    if (!result.ok()) [[unlikely]]
      fail(result.status(), text_of(what));
    return *std::move(result);
  }

  // What call() returns, which is a collective of the group: a Status or a Result. Throws Failure instead of calling it
  // if this unit is out of step.
  template <class What, class Call>
  auto in_step(const What& what, Call&& call) const {
    expect_in_step(what);
    auto outcome = call();
    if (timed_out(outcome)) [[unlikely]]
      group_->lose_step();
    return outcome;
  }
  template <class What>
  void expect_in_step(const What& what) const {
    if (group_->out_of_step()) [[unlikely]]
      fail({Code::invalid_group, "this rank has left a collective of this group before its end"}, text_of(what));
  }
  // This unit's own part of a collective, between meetings: work(). What it throws leaves the others waiting for this unit,
  // which is out of step from then on; unless it is the only one.
  template <class Work>
  void own_part(Work&& work) const {
    try {
      std::forward<Work>(work)();
    } catch (...) {
      if (units() > 1) group_->lose_step();
      throw;
    }
  }
  // As in_step(), and throws Failure unless it is ok.
  template <class What, class Call>
  void meet(const What& what, Call&& call) const {
    check(in_step(what, std::forward<Call>(call)), what);
  }

  // Collective.
  void barrier() const { barrier("barrier of a team"); }
  template <class What>
  void barrier(const What& what) const {
    meet(what, [&] { return group_->barrier(timeout_); });
  }
  // Collective: the value of each unit, in their order. At most Group::kMaxGather bytes.
  template <class T>
  std::vector<T> gather(const T& mine, const std::string& what) const {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= Group::kMaxGather);
    const auto told =
        take(in_step(what, [&] { return group_->allgather(std::as_bytes(std::span(&mine, 1)), timeout_); }), what);
    std::vector<T> all(units());
    std::memcpy(all.data(), told.data(), told.size());
    return all;
  }

 private:
  static bool timed_out(const Status& status) { return status.timed_out(); }
  template <class T>
  static bool timed_out(const Result<T>& result) {
    return !result.ok() && result.status().timed_out();
  }
  template <class What>
  static std::string text_of(const What& what) {
    if constexpr (std::is_invocable_v<const What&>)
      return what();
    else
      return std::string(what);
  }
  [[noreturn]] void fail(const Status& status, const std::string& what) const {
    std::string text = what + " at rank " + std::to_string(runtime_->rank()) + ": " + status.to_string();
    std::vector<Rank> failed;
    for (const Rank member : group_->ranks())
      if (runtime_->health(member) == Health::failed) failed.push_back(member);
    for (const Rank member : failed)
      text += (member == failed.front() ? "; failed: rank " : ", ") + std::to_string(member);
    throw Failure(status, text, std::move(failed));
  }

  Runtime* runtime_;
  Group* group_;
  Timeout timeout_;
};

}  // namespace polder::containers
