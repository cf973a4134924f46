// The shuffle of the MPI peer, as in "GASPI Terasort" (Pitonak et al., PRACE 2019, section 4.2): read everything,
// partition it locally, tell the others how much comes, pass a barrier, exchange with MPI_Isend and MPI_Recv.
#pragma once

#include "memory.hpp"
#include "shuffle.hpp"
#include "team.hpp"

#include <mpi.h>

#include <vector>

namespace terasort {

class ExchangeShuffle final : public Shuffle {
 public:
  // `team` must outlive this.
  explicit ExchangeShuffle(Team& team);
  ~ExchangeShuffle() override;
  ExchangeShuffle(const ExchangeShuffle&) = delete;
  ExchangeShuffle& operator=(const ExchangeShuffle&) = delete;

  // Two copies of the rank's part: as read, and partitioned.
  std::uint64_t buffer_bytes(std::uint64_t part_records) const override {
    return (2 * kRecordBytes + 2) * part_records;
  }
  bool receives_in_place() const override { return true; }
  Status prepare() override { return {}; }
  Status run(InputPart& input, const Splitters& splitters, RecordStore& store, Progress& progress) override;

 private:
  // This rank's part of the input, grouped by the rank that the records belong to.
  struct Partition {
    Arena records;
    std::vector<std::uint64_t> counts;  // of records, by rank
  };

  Result<Partition> read_and_partition(InputPart& input, const Splitters& splitters);
  Status exchange(const Partition& partition, const std::vector<std::uint64_t>& coming, RecordStore& store);

  Team& team_;
  MPI_Datatype record_;  // 100 bytes: counts stay far below the 2^31 of an int
};

}  // namespace terasort
