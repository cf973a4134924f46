// The middle of the sort: every record goes from the rank that reads it to the rank it belongs to.
#pragma once

#include "common/progress.hpp"
#include "input_part.hpp"
#include "record_store.hpp"
#include "splitters.hpp"

#include <cstdint>

namespace terasort {

using apps::Progress;

// Life: buffer_bytes(), prepare(), run(), and after all ranks know each other's outcome, destruction.
class Shuffle {
 public:
  virtual ~Shuffle() = default;

  // Memory for buffers at this rank beyond the RecordStore, when the largest part of the input has `part_records`.
  virtual std::uint64_t buffer_bytes(std::uint64_t part_records) const = 0;

  // Whether records are received where they stay (RecordStore::next). Then the store has a single bucket.
  virtual bool receives_in_place() const { return false; }

  // Collective. Allocates the buffers.
  virtual Status prepare() = 0;

  // Collective. Reads `input` to its end and returns when all records that belong to this rank are in `store`. A rank
  // that fails tells the others, which then return stopped_by_another().
  virtual Status run(InputPart& input, const Splitters& splitters, RecordStore& store, Progress& progress) = 0;
};

// What a rank says whose share does not fit its store.
Status share_too_large(std::uint64_t capacity);

}  // namespace terasort
