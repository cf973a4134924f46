// From what was measured to rows of a table.
#pragma once

#include "tune/measurement.hpp"

#include <polder/types.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace polder::tune {

// A size and the algorithm that is to serve it.
struct Best {
  std::size_t bytes;
  coll::Algorithm algorithm;
  bool chosen;                       // what the table takes anyway
  std::string remark;                // how much faster it is; empty if chosen
  std::vector<Timing> timings = {};  // of all
};

// Whether vectors `factor` times as long as those of `smaller` can be measured in twice `seconds`, if they take so much longer.
bool is_affordable(const std::vector<Timing>& smaller, std::size_t factor, double seconds);

// What the table takes, unless another one needs a tenth less. REQUIRES: some timings.
Best best_of(std::size_t bytes, const std::vector<Timing>& timings);

// Rows for Table::read() by which each size of `all`, in ascending order, is served by its best, for up to `ranks` members.
// Sizes in between go with the one that is faster there, if times go as powers of sizes do from one to the next; or with the nearer one,
// by factors, where one of two was not measured beside the other. Empty: the table's own rows do that.
std::string rows_of(coll::Kind kind, Rank ranks, const std::vector<Best>& all);

}  // namespace polder::tune
