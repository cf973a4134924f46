// How long each algorithm of a collective takes among the ranks of this job.
#pragma once

#include "coll/table/table.hpp"

#include <polder/runtime.hpp>
#include <polder/status.hpp>
#include <polder/timeout.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace polder::tune {

// A kind and the bytes of a rank's vector, of all parts, or of a block of an alltoall.
struct Subject {
  coll::Kind kind;
  std::size_t bytes;
};

struct Timing {
  coll::Algorithm algorithm;
  double us = 0;        // of a call, at the rank that took longest; the median of some turns
  bool chosen = false;  // what the table takes
};

// For one call of ranks that may outnumber cores by far. Rank 0 gives up first: it says what has not ended.
Timeout patience_of(const Runtime& runtime);

class Measurement {
 public:
  static constexpr int kTurns = 5;  // of all algorithms, behind one that warms up; at least one where calls are long

  explicit Measurement(Runtime& runtime) : runtime_(runtime) {}

  // Whether the buffers of a rank stay within 256 MB.
  bool fits(const Subject& subject) const;
  // Those that can serve the call, and which one is taken; nothing is measured. Collective for neighbours.
  Result<std::vector<Timing>> algorithms(const Subject& subject);
  // Collective, with the same arguments. All algorithms that can serve the call, in turns, for about `seconds` in all; ranks take turns
  // as its root. Those that take several times as long as the fastest one leave the rest of the time to others.
  // The same at all ranks. An error names the algorithm.
  Result<std::vector<Timing>> of(const Subject& subject, double seconds);

 private:
  void make_buffers(const Subject& subject);

  Runtime& runtime_;
  std::vector<double> send_, receive_;  // private memory, as programs mostly have it
};

}  // namespace polder::tune
