#include "gaspi_team.hpp"

#include <algorithm>
#include <cstring>

namespace terasort {
namespace {

constexpr gaspi_timeout_t kStartTimeout = 60'000;  // ms
constexpr gaspi_timeout_t kLeaveTimeout = 10'000;

}  // namespace

Result<std::unique_ptr<GaspiTeam>> GaspiTeam::start(double patience) {
  const gaspi_return_t code = gaspi_proc_init(kStartTimeout);
  if (code != GASPI_SUCCESS) return gaspi_error("gaspi_proc_init", code);
  gaspi_rank_t rank = 0;
  gaspi_rank_t ranks = 1;
  (void)gaspi_proc_rank(&rank);  // cannot fail between init and term
  (void)gaspi_proc_num(&ranks);
  std::unique_ptr<GaspiTeam> team(new GaspiTeam(Caller(rank, ranks, patience)));
  Status status = team->create_segment();
  if (!status.ok()) return status;
  return team;
}

GaspiTeam::~GaspiTeam() {
  // After a loss nobody comes to a farewell, and the launcher must see this rank's end as a failure: it ends the
  // others, too.
  if (caller_.lost_peers()) return;
  // What else went wrong has been told; leaving late changes nothing about it.
  if (segment_ != nullptr) (void)gaspi_segment_delete(kSegment);
  (void)gaspi_proc_term(kLeaveTimeout);
}

Status GaspiTeam::create_segment() {
  const gaspi_size_t bytes = (gaspi_size_t{size()} + 1) * kSlotBytes;
  Status status = caller_.call("gaspi_segment_create", [&](gaspi_timeout_t timeout) {
    return gaspi_segment_create(kSegment, bytes, GASPI_GROUP_ALL, timeout, GASPI_MEM_UNINITIALIZED);
  });
  if (!status.ok()) return status;
  gaspi_pointer_t pointer = nullptr;
  const gaspi_return_t code = gaspi_segment_ptr(kSegment, &pointer);
  if (code != GASPI_SUCCESS) return gaspi_error("gaspi_segment_ptr", code);
  segment_ = static_cast<std::byte*>(pointer);
  return {};
}

Status GaspiTeam::send(unsigned to, std::size_t bytes) {
  const gaspi_offset_t from_offset = gaspi_offset_t{size()} * kSlotBytes;
  const gaspi_offset_t to_offset = gaspi_offset_t{rank()} * kSlotBytes;
  return caller_.post("gaspi_write_notify", kQueue, [&](gaspi_timeout_t timeout) {
    return gaspi_write_notify(kSegment, from_offset, gaspi_rank_t(to), kSegment, to_offset, bytes, rank(), 1, kQueue,
                              timeout);
  });
}

Status GaspiTeam::send_to_others(std::size_t bytes) {
  for (unsigned step = 1; step < size(); ++step) {
    Status status = send((rank() + step) % size(), bytes);
    if (!status.ok()) return status;
  }
  return {};
}

Status GaspiTeam::await(unsigned first, unsigned count) {
  const bool counts_self = rank() >= first && rank() < first + count;
  for (unsigned missing = count - (counts_self ? 1 : 0); missing > 0;) {
    gaspi_notification_id_t id = 0;
    Status status = caller_.call("gaspi_notify_waitsome", [&](gaspi_timeout_t timeout) {
      return gaspi_notify_waitsome(kSegment, first, count, &id, timeout);
    });
    if (!status.ok()) return status;
    gaspi_notification_t value = 0;
    const gaspi_return_t code = gaspi_notify_reset(kSegment, id, &value);
    if (code != GASPI_SUCCESS) return gaspi_error("gaspi_notify_reset", code);
    if (value != 0) --missing;
  }
  return {};
}

Status GaspiTeam::finish_round() {
  Status status = caller_.wait(kQueue);
  if (!status.ok()) return status;
  return caller_.call("gaspi_barrier", [](gaspi_timeout_t timeout) { return gaspi_barrier(GASPI_GROUP_ALL, timeout); });
}

Status GaspiTeam::allgather(std::span<const std::byte> mine, std::span<std::byte> all) {
  for (std::size_t at = 0; at < mine.size(); at += kSlotBytes) {
    const std::size_t bytes = std::min(kSlotBytes, mine.size() - at);
    std::memcpy(slot(size()), mine.data() + at, bytes);
    std::memcpy(slot(rank()), mine.data() + at, bytes);
    Status status = send_to_others(bytes);
    if (status.ok()) status = await(0, size());
    if (!status.ok()) return status;
    for (unsigned peer = 0; peer < size(); ++peer) std::memcpy(all.data() + peer * mine.size() + at, slot(peer), bytes);
    status = finish_round();
    if (!status.ok()) return status;
  }
  return {};
}

Status GaspiTeam::gather(std::span<const std::byte> mine, std::span<std::byte> all) {
  for (std::size_t at = 0; at < mine.size(); at += kSlotBytes) {
    const std::size_t bytes = std::min(kSlotBytes, mine.size() - at);
    std::memcpy(slot(rank() == 0 ? 0 : size()), mine.data() + at, bytes);
    Status status = rank() == 0 ? await(0, size()) : send(0, bytes);
    if (!status.ok()) return status;
    for (unsigned peer = 0; rank() == 0 && peer < size(); ++peer)
      std::memcpy(all.data() + peer * mine.size() + at, slot(peer), bytes);
    status = finish_round();
    if (!status.ok()) return status;
  }
  return {};
}

Status GaspiTeam::broadcast(std::span<std::byte> data) {
  for (std::size_t at = 0; at < data.size(); at += kSlotBytes) {
    const std::size_t bytes = std::min(kSlotBytes, data.size() - at);
    if (rank() == 0) std::memcpy(slot(size()), data.data() + at, bytes);
    Status status = rank() == 0 ? send_to_others(bytes) : await(0, 1);
    if (!status.ok()) return status;
    if (rank() != 0) std::memcpy(data.data() + at, slot(0), bytes);
    status = finish_round();
    if (!status.ok()) return status;
  }
  return {};
}

Result<std::uint64_t> GaspiTeam::maximum(std::uint64_t mine) {
  unsigned long largest = 0;
  Status status = caller_.call("gaspi_allreduce", [&](gaspi_timeout_t timeout) {
    return gaspi_allreduce(&mine, &largest, 1, GASPI_OP_MAX, GASPI_TYPE_ULONG, GASPI_GROUP_ALL, timeout);
  });
  if (!status.ok()) return status;
  return std::uint64_t{largest};
}

}  // namespace terasort
