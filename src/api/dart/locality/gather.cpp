#include "api/dart/locality/gather.hpp"

#include "api/dart/locality/tree.hpp"

#include <polder/group.hpp>

#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace polder::dart {

// Told as bytes, in the layout of the interface.
static_assert(sizeof(dart_hwinfo_t) == 276 && sizeof(dart_unit_locality_t) == 316 &&
              sizeof(dart_domain_locality_t) == 192);

Status gather_locality(const dart_hwinfo_t& hardware, DartTeam& team) {
  if (team.locality != nullptr) return {};
  dart_unit_locality_t mine{};
  mine.unit.id = team.me();
  mine.team = team.id();
  mine.hwinfo = hardware;
  auto locality = std::make_unique<TeamLocality>();
  locality->units.resize(std::size_t(team.size()));
  Status status = team.group().allgather(std::as_bytes(std::span(&mine, 1)),
                                         std::as_writable_bytes(std::span(locality->units)), Timeout::block());
  if (!status.ok()) return status;
  std::vector<dart_global_unit_t> ids;
  for (dart_unit_t unit = 0; unit < team.size(); ++unit) ids.emplace_back(dart_unit_t(team.rank(unit)));
  locality->tree = build_tree(team.id(), locality->units, ids);
  team.locality = std::move(locality);
  return {};
}

}  // namespace polder::dart
