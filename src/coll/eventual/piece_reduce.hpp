// How a member combines pieces of an eventual reduce or allreduce, of what
// others show, and shows them to those that read them of it; at the root, or at
// all, how the result is put together. All that take part have to come for
// this; where one dies or leaves, it ends without a result, and one is made of
// what members show, as in a flat operation.
#pragma once

#include "coll/eventual/piece_operation.hpp"
#include "coll/eventual/piece_reads.hpp"

#include <polder/collective.hpp>
#include <polder/status.hpp>

#include <cstddef>
#include <cstdint>

namespace polder::coll {

class PieceReduce {
 public:
  explicit PieceReduce(PieceReads& reads) : reads_(reads) {}

  void begin();
  // Does what can be done now, with `hash` of the call, which those have to
  // have made that it reads from. True: it is done, or cannot go on because
  // something was lost or the function failed, and nothing is under way.
  bool advance(const PieceOperation& operation, const Combine& combine, std::uint64_t hash);
  // True once nothing is under way. It may go on afterwards.
  bool settle(const PieceOperation& operation);
  bool has_stopped() const { return has_stopped_; }
  bool is_done(const PieceOperation& operation) const { return job_ == operation.plan.jobs(operation.window.me()); }
  // What the function that combines returned.
  const Status& failure() const { return failure_; }

 private:
  bool read_next(const PieceOperation& operation, std::uint64_t hash);
  bool combine_next(const PieceOperation& operation, const Combine& combine);
  bool add(const PieceOperation& operation, const PieceRead& read, const Combine& combine);
  bool show_job(const PieceOperation& operation);
  PieceRead& slot(std::uint64_t i) { return reads_.all[i % kMostReads]; }

  PieceReads& reads_;
  std::uint32_t job_ = 0, reading_job_ = 0;  // being combined, and being read
  Rank reading_part_ = 0;
  std::uint64_t read_ = 0, combined_ = 0;  // parts
  bool is_job_combined_ = false;           // and not shown to all yet
  Rank told_ = 0;                          // of those to whom it is shown
  bool has_come_ = false;                  // the next one to be combined
  bool has_stopped_ = false;
  Status failure_;
};

}  // namespace polder::coll
