#include "exchange_shuffle.hpp"

#include <cstring>
#include <numeric>

namespace terasort {
namespace {

// The first record of each group, when groups of these sizes lie one after another.
std::vector<std::uint64_t> starts_of(const std::vector<std::uint64_t>& counts) {
  std::vector<std::uint64_t> starts(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), starts.begin(), std::uint64_t{0});
  return starts;
}

}  // namespace

ExchangeShuffle::ExchangeShuffle(Team& team) : team_(team) {
  MPI_Type_contiguous(int(kRecordBytes), MPI_BYTE, &record_);
  MPI_Type_commit(&record_);
}

ExchangeShuffle::~ExchangeShuffle() {
  MPI_Type_free(&record_);
}

Status ExchangeShuffle::run(InputPart& input, const Splitters& splitters, RecordStore& store, Progress& progress) {
  Result<Partition> partition = read_and_partition(input, splitters);
  Status status = agree(team_, partition.status());
  if (!status.ok()) return status;
  progress.at(input.part().size());

  std::vector<std::uint64_t> coming(team_.size());
  MPI_Alltoall(partition->counts.data(), 1, MPI_UINT64_T, coming.data(), 1, MPI_UINT64_T, MPI_COMM_WORLD);
  const bool fits = std::accumulate(coming.begin(), coming.end(), std::uint64_t{0}) <= store.room();
  status = agree(team_, fits ? Status() : share_too_large(store.capacity()));
  if (!status.ok()) return status;

  MPI_Barrier(MPI_COMM_WORLD);
  return exchange(*partition, coming, store);
}

Result<ExchangeShuffle::Partition> ExchangeShuffle::read_and_partition(InputPart& input, const Splitters& splitters) {
  const std::uint64_t count = input.part().size();
  const Result<Arena> raw = Arena::reserve(count * kRecordBytes);
  const Result<Arena> ranks = Arena::reserve(count * sizeof(std::uint16_t));
  Result<Arena> grouped = Arena::reserve(count * kRecordBytes);
  for (const Status& status : {raw.status(), ranks.status(), grouped.status()})
    if (!status.ok()) return status;
  Status status = input.read_rest(raw->as<std::byte>().first(count * kRecordBytes));
  if (!status.ok()) return status;

  Partition partition{std::move(*grouped), std::vector<std::uint64_t>(team_.size())};
  const std::span<std::uint16_t> rank_of = ranks->as<std::uint16_t>();
  const std::byte* record = raw->data();
  for (std::uint64_t i = 0; i < count; ++i, record += kRecordBytes) {
    rank_of[i] = std::uint16_t(splitters.rank_of(record, input.part().begin + i));
    ++partition.counts[rank_of[i]];
  }
  std::vector<std::uint64_t> next = starts_of(partition.counts);
  record = raw->data();
  for (std::uint64_t i = 0; i < count; ++i, record += kRecordBytes)
    std::memcpy(partition.records.data() + next[rank_of[i]]++ * kRecordBytes, record, kRecordBytes);
  return partition;
}

Status ExchangeShuffle::exchange(const Partition& partition, const std::vector<std::uint64_t>& coming,
                                 RecordStore& store) {
  const std::vector<std::uint64_t> starts = starts_of(partition.counts);
  const unsigned rank = team_.rank();
  const unsigned ranks = team_.size();
  std::vector<MPI_Request> sends;
  for (unsigned step = 1; step < ranks; ++step) {
    const unsigned to = (rank + step) % ranks;
    MPI_Isend(partition.records.data() + starts[to] * kRecordBytes, int(partition.counts[to]), record_, int(to), 0,
              MPI_COMM_WORLD, &sends.emplace_back());
  }
  store.append(partition.records.data() + starts[rank] * kRecordBytes, partition.counts[rank]);
  for (unsigned step = 1; step < ranks; ++step) {
    const unsigned from = (rank + ranks - step) % ranks;
    MPI_Recv(store.next(coming[from]).data(), int(coming[from]), record_, int(from), 0, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    store.add_received(coming[from]);
  }
  MPI_Waitall(int(sends.size()), sends.data(), MPI_STATUSES_IGNORE);
  return {};
}

}  // namespace terasort
