// The exchange over a group of Polder: rows are put into memory that all members have, flags say which pieces have come.
#pragma once

#include "common/team.hpp"
#include "exchange.hpp"

#include <polder/allocation.hpp>

#include <memory>
#include <vector>

namespace fft {

class GroupExchange final : public Exchange {
 public:
  // Collective over all ranks: those with the same `colour` make a group, in the order of `key`.
  static Result<std::unique_ptr<GroupExchange>> create(const apps::Team& team, unsigned colour, unsigned key);

  unsigned size() const override { return unsigned(group_->size()); }
  unsigned index() const override { return group_->index(); }
  Result<Complex*> prepare(const Route& route) override;
  bool takes_at_once() const override { return takes_at_once_; }
  Status open() override;
  Status put(unsigned member, const Complex* plane, const Rows& rows) override;
  Status send(unsigned piece) override;
  Result<bool> has_come(unsigned piece) override;
  Status await(unsigned piece) override;
  Status close() override;

 private:
  GroupExchange(const apps::Team& team, std::unique_ptr<polder::Group> group);

  // A member's flags, one for each that raises it.
  polder::NotificationId flags(unsigned number) const { return number * size(); }
  Status all_opened();  // waits until they have, once in a round
  Status tell_others(unsigned number);
  // Until all others have raised theirs, which are taken down.
  Status hear_others(unsigned number);
  // Takes down what is raised; `ranks`: those who have not raised theirs yet.
  Status take_raised(unsigned number, std::vector<polder::Rank>& ranks);

  const apps::Team& team_;
  std::unique_ptr<polder::Group> group_;
  std::vector<polder::Rank> others_;
  std::unique_ptr<polder::Allocation> memory_;
  bool takes_at_once_ = false;
  bool is_open_ = false;  // all others have opened the round
};

}  // namespace fft
