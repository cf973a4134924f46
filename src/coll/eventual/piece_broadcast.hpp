// How a member that is not the root gets the pieces of an eventual broadcast and shows them to those that read them of it.
#pragma once

#include "coll/eventual/piece_operation.hpp"
#include "coll/eventual/piece_reads.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace polder::coll {

class PieceBroadcast {
 public:
  explicit PieceBroadcast(PieceReads& reads) : reads_(reads) {}

  void begin(const PieceOperation& operation, Rank root);
  // Does what can be done now. `is_impatient`: what its source does not have is read of the root. True: all pieces lie in
  // this member's contribution, and those that read them of it know it; or the root is lost, and nothing is under way.
  bool advance(const PieceOperation& operation, bool is_impatient);
  bool has_lost_root() const { return has_lost_root_; }

 private:
  void take_come(const PieceOperation& operation);
  bool show_next(const PieceOperation& operation);
  bool read_next(const PieceOperation& operation, bool is_impatient);
  bool reads_of_root() const;
  bool read(const PieceOperation& operation, std::uint32_t piece, Rank from);

  PieceReads& reads_;
  Rank root_ = 0;
  std::vector<std::uint32_t> lacking_;  // in the order in which they are wanted
  std::vector<std::uint32_t> to_show_;  // pieces that have come and have readers
  std::size_t showing_ = 0;             // of those
  Rank told_ = 0;                       // readers of that one
  bool has_lost_root_ = false;
};

}  // namespace polder::coll
