// The ranks of a GASPI job.
#pragma once

#include "../team.hpp"
#include "caller.hpp"

#include <memory>

namespace terasort {

// Between construction by start() and destruction GASPI is initialised. One at a time.
class GaspiTeam final : public Team {
 public:
  // Collective.
  static Result<std::unique_ptr<GaspiTeam>> start(double patience);
  // Leaves the job in good order, unless peers were lost.
  ~GaspiTeam() override;
  GaspiTeam(const GaspiTeam&) = delete;
  GaspiTeam& operator=(const GaspiTeam&) = delete;

  unsigned rank() const override { return caller_.rank(); }
  unsigned size() const override { return caller_.ranks(); }
  Caller& caller() { return caller_; }

  Status allgather(std::span<const std::byte> mine, std::span<std::byte> all) override;
  Status gather(std::span<const std::byte> mine, std::span<std::byte> all) override;
  Status broadcast(std::span<std::byte> data) override;
  Result<std::uint64_t> maximum(std::uint64_t mine) override;

 private:
  explicit GaspiTeam(Caller caller) : caller_(std::move(caller)) {}

  // Our segment has a slot for what each rank sends, and behind them one for what we send. Longer data goes in pieces.
  Status create_segment();
  std::byte* slot(unsigned index) const { return segment_ + std::size_t{index} * kSlotBytes; }

  Status send(unsigned to, std::size_t bytes);
  Status send_to_others(std::size_t bytes);
  // Waits until ranks first .. first+count-1, but for this one, have sent.
  Status await(unsigned first, unsigned count);
  // Nobody reuses a slot before all have read theirs.
  Status finish_round();

  static constexpr std::size_t kSlotBytes = 64 << 10;
  static constexpr gaspi_segment_id_t kSegment = 0;
  static constexpr gaspi_queue_id_t kQueue = 0;

  Caller caller_;
  std::byte* segment_ = nullptr;
};

}  // namespace terasort
