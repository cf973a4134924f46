// How what the ranks have learned about items comes together: as sums over all items, or as rows of a table, of which a
// rank exchanges those that its ratings are of.
#pragma once

#include "common/team.hpp"
#include "factors.hpp"
#include "rating_table.hpp"

#include <polder/stale.hpp>

#include <cstdint>
#include <memory>
#include <span>

namespace mf {

class ItemExchange {
 public:
  virtual ~ItemExchange() = default;
  // `change`: what this rank adds to the vectors of all items in this iteration; then `items` are what it knows of all
  // ranks. `fails`: it has failed, of which the others hear in time.
  virtual Result<polder::Staleness> add_up(std::span<const double> change, bool fails, std::uint64_t slack,
                                           Factors& items) = 0;
  // Collective: `items` are equal at all ranks.
  virtual Status flush(Factors& items) = 0;
  // Whether a rank has failed.
  virtual bool has_failure() const = 0;
};

// Collective. `items`: what all begin with.
Result<std::unique_ptr<ItemExchange>> exchange_sums(const apps::Team& team, const Factors& items,
                                                    polder::StaleShape shape);
Result<std::unique_ptr<ItemExchange>> exchange_rows(const apps::Team& team, const RatingTable& table,
                                                    const Factors& items);

}  // namespace mf
