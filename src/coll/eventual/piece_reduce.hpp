// How a member combines pieces of an eventual reduce, of what others show, and shows them to the one that reads them of it;
// at the root, how the result is put together. All that take part have to come for this; where one dies or leaves, it
// ends without a result, and the root makes one of what members show, as in a flat reduce.
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
  // Does what can be done now, with `hash` of the call, which those have to have made that it reads from. True: nothing is
  // under way, and nothing more will be.
  bool advance(const PieceOperation& operation, const Combine& combine, std::uint64_t hash);
  // No more is begun.
  void stop() { has_stopped_ = true; }
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
  bool is_job_combined_ = false;           // and not shown yet
  bool has_come_ = false;                  // the next one to be combined
  bool has_stopped_ = false;
  Status failure_;
};

}  // namespace polder::coll
