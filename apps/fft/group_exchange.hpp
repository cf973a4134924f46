// The exchange over a group of Polder: alltoallv, non-blocking, up to four at a time.
#pragma once

#include "common/team.hpp"
#include "exchange.hpp"

#include <array>
#include <memory>
#include <optional>

namespace fft {

class GroupExchange final : public Exchange {
 public:
  // Collective over all ranks: those with the same `colour` make a group, in the order of `key`.
  static Result<std::unique_ptr<GroupExchange>> create(const apps::Team& team, unsigned colour, unsigned key);

  unsigned size() const override { return unsigned(group_->size()); }
  unsigned index() const override { return group_->index(); }
  Status start(unsigned slot, const Complex* send, std::span<const polder::Part> sent, Complex* receive,
               std::span<const polder::Part> received) override;
  void progress() override;
  Status finish(unsigned slot) override;

 private:
  GroupExchange(const apps::Team& team, std::unique_ptr<polder::Group> group) : team_(team), group_(std::move(group)) {}

  const apps::Team& team_;
  std::unique_ptr<polder::Group> group_;
  std::array<std::optional<polder::Collective>, kSlots> slots_;
};

}  // namespace fft
