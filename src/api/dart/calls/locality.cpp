// Where the units of a team run, and groups by it.
#include "api/dart/job/epoch.hpp"
#include "api/dart/job/error.hpp"
#include "api/dart/job/traced.hpp"
#include "api/dart/job/unit_set.hpp"
#include "api/dart/locality/gather.hpp"
#include "api/dart/symbols.hpp"

#include <algorithm>
#include <string>
#include <vector>

using namespace polder;
using namespace polder::dart;

namespace {

DartTeam* team_of(dart_team_t id) {
  const DartEpoch* const epoch = current_epoch();
  return epoch == nullptr ? nullptr : epoch->team(id);
}

// Null: there is no such team, or it knows nothing yet.
TeamLocality* locality_of(dart_team_t id) {
  const DartTeam* const team = team_of(id);
  return team == nullptr ? nullptr : team->locality.get();
}

dart_ret_t without_locality(const char* call, dart_team_t id) {
  if (team_of(id) == nullptr) return refused(call, no_such_team(id));
  return refused(call, Status(Code::invalid_argument, "dart_team_locality_init was not called for " + team_text(id)));
}

// Those of a domain's units that are in the group.
dart_group_t members_in(const std::vector<const Domain*>& domains, const dart_group_struct& group) {
  std::vector<Rank> members;
  for (const Domain* domain : domains)
    for (const dart_global_unit_t unit : units_of(*domain))
      if (std::ranges::binary_search(group.members, Rank(unit.id))) members.push_back(Rank(unit.id));
  if (members.empty()) return DART_GROUP_NULL;
  std::ranges::sort(members);
  return new dart_group_struct{std::move(members)};
}

}  // namespace

extern "C" {

dart_ret_t dart_team_locality_init(dart_team_t team) {
  const TracedDartCall traced(DartCall::team_locality_init);
  return guarded("dart_team_locality_init", [&] {
    DartTeam* const found = team_of(team);
    if (found == nullptr) return refused("dart_team_locality_init", no_such_team(team));
    return outcome("dart_team_locality_init", gather_locality(current_epoch()->unit().hardware, *found));
  });
}

dart_ret_t dart_team_locality_finalize(dart_team_t team) {
  const TracedDartCall traced(DartCall::team_locality_finalize);
  DartTeam* const found = team_of(team);
  if (found == nullptr) return refused("dart_team_locality_finalize", no_such_team(team));
  found->locality.reset();
  return DART_OK;
}

dart_ret_t dart_domain_team_locality(dart_team_t team, const char* domain_tag,
                                     dart_domain_locality_t** team_domain_out) {
  constexpr const char* kCall = "dart_domain_team_locality";
  return guarded(kCall, [&] {
    if (team_domain_out == nullptr || domain_tag == nullptr)
      return refused(kCall, null_argument(domain_tag == nullptr ? "domain_tag" : "team_domain_out"));
    *team_domain_out = nullptr;
    const TeamLocality* const locality = locality_of(team);
    if (locality == nullptr) return without_locality(kCall, team);
    *team_domain_out = find_domain(*locality->tree, domain_tag);
    return *team_domain_out == nullptr ? DART_ERR_NOTFOUND : DART_OK;
  });
}

dart_ret_t dart_unit_locality(dart_team_t team, dart_team_unit_t unit, dart_unit_locality_t** loc) {
  constexpr const char* kCall = "dart_unit_locality";
  return guarded(kCall, [&] {
    if (loc == nullptr) return refused(kCall, null_argument("loc"));
    *loc = nullptr;
    TeamLocality* const locality = locality_of(team);
    if (locality == nullptr) return without_locality(kCall, team);
    if (unit.id < 0 || std::size_t(unit.id) >= locality->units.size())
      return refused(kCall, no_such_unit(unit.id, team));
    *loc = &locality->units[std::size_t(unit.id)];
    return DART_OK;
  });
}

dart_ret_t dart_group_locality_split(dart_group_t g, dart_domain_locality_t* domain, dart_locality_scope_t scope,
                                     size_t n, size_t* nout, dart_group_t* gout) {
  constexpr const char* kCall = "dart_group_locality_split";
  return guarded(kCall, [&] {
    if (nout != nullptr) *nout = 0;
    if (g == nullptr || domain == nullptr || nout == nullptr || gout == nullptr)
      return refused(kCall, null_argument("an argument"));
    if (n == 0) return refused(kCall, Status(Code::invalid_argument, "0 parts"));
    std::vector<Domain*> domains;
    collect_scope(*domain, scope, domains);
    if (domains.empty())
      return refused(kCall, Status(Code::invalid_argument, "there is no domain of scope " + std::to_string(scope)));
    const std::size_t each = (domains.size() + n - 1) / n;
    // All n parts are counted where domains are put together, though the last of them may be without any.
    *nout = std::min(n, domains.size());
    for (std::size_t part = 0; part < *nout; ++part) {
      const std::size_t first = std::min(domains.size(), part * each), last = std::min(domains.size(), first + each);
      gout[part] = members_in({domains.begin() + std::ptrdiff_t(first), domains.begin() + std::ptrdiff_t(last)}, *g);
    }
    return DART_OK;
  });
}

}  // extern "C"
