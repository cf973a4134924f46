// Groups: local sets of global ids.
#include "api/dart/job/epoch.hpp"
#include "api/dart/job/error.hpp"
#include "api/dart/job/unit_set.hpp"
#include "api/dart/symbols.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

using namespace polder;
using namespace polder::dart;

namespace {

dart_ret_t without_group(const char* call) {
  return refused(call, null_argument("the group"));
}

Status negative(dart_unit_t unit) {
  return {Code::invalid_rank, "unit " + std::to_string(unit)};
}

// A new group of what `make` returns, or null where one of the two is.
template <class Make>
dart_ret_t combine_groups(const char* call, dart_group_t one, dart_group_t two, dart_group_t* out, Make make) {
  return guarded(call, [&] {
    if (out != nullptr) *out = DART_GROUP_NULL;
    if (one == nullptr || two == nullptr || out == nullptr) return without_group(call);
    std::vector<Rank> members;
    make(one->members, two->members, std::back_inserter(members));
    *out = new dart_group_struct{std::move(members)};
    return DART_OK;
  });
}

}  // namespace

extern "C" {

dart_ret_t dart_group_create(dart_group_t* group) {
  return guarded("dart_group_create", [&] {
    if (group == nullptr) return without_group("dart_group_create");
    *group = std::make_unique<dart_group_struct>().release();
    return DART_OK;
  });
}

dart_ret_t dart_group_destroy(dart_group_t* group) {
  if (group == nullptr) return without_group("dart_group_destroy");
  delete *group;
  *group = DART_GROUP_NULL;
  return DART_OK;
}

dart_ret_t dart_group_clone(dart_group_t gin, dart_group_t* gout) {
  return guarded("dart_group_clone", [&] {
    if (gout != nullptr) *gout = DART_GROUP_NULL;
    if (gin == nullptr || gout == nullptr) return without_group("dart_group_clone");
    *gout = std::make_unique<dart_group_struct>(*gin).release();
    return DART_OK;
  });
}

dart_ret_t dart_group_union(dart_group_t g1, dart_group_t g2, dart_group_t* gout) {
  return combine_groups("dart_group_union", g1, g2, gout,
                        [](const auto& a, const auto& b, auto out) { std::ranges::set_union(a, b, out); });
}

dart_ret_t dart_group_intersect(dart_group_t g1, dart_group_t g2, dart_group_t* gout) {
  return combine_groups("dart_group_intersect", g1, g2, gout,
                        [](const auto& a, const auto& b, auto out) { std::ranges::set_intersection(a, b, out); });
}

dart_ret_t dart_group_addmember(dart_group_t g, dart_global_unit_t unitid) {
  return guarded("dart_group_addmember", [&] {
    if (g == nullptr) return without_group("dart_group_addmember");
    if (unitid.id < 0) return refused("dart_group_addmember", negative(unitid.id));
    const auto place = std::ranges::lower_bound(g->members, Rank(unitid.id));
    if (place == g->members.end() || *place != Rank(unitid.id)) g->members.insert(place, Rank(unitid.id));
    return DART_OK;
  });
}

dart_ret_t dart_group_delmember(dart_group_t g, dart_global_unit_t unitid) {
  if (g == nullptr) return without_group("dart_group_delmember");
  std::erase(g->members, Rank(unitid.id));
  return DART_OK;
}

dart_ret_t dart_group_ismember(dart_group_t g, dart_global_unit_t unitid, int32_t* ismember) {
  if (ismember != nullptr) *ismember = 0;
  if (g == nullptr || ismember == nullptr) return without_group("dart_group_ismember");
  *ismember = std::ranges::binary_search(g->members, Rank(unitid.id)) ? 1 : 0;
  return DART_OK;
}

dart_ret_t dart_group_size(dart_group_t g, size_t* size) {
  if (size != nullptr) *size = 0;
  if (g == nullptr || size == nullptr) return without_group("dart_group_size");
  *size = g->members.size();
  return DART_OK;
}

dart_ret_t dart_group_getmembers(dart_group_t g, dart_global_unit_t* unitids) {
  if (g == nullptr || unitids == nullptr) return without_group("dart_group_getmembers");
  for (const Rank member : g->members) *unitids++ = DART_GLOBAL_UNIT_ID(dart_unit_t(member));
  return DART_OK;
}

dart_ret_t dart_group_split(dart_group_t g, size_t n, size_t* nout, dart_group_t* gout) {
  return guarded("dart_group_split", [&] {
    if (nout != nullptr) *nout = 0;
    if (g == nullptr || nout == nullptr || gout == nullptr) return without_group("dart_group_split");
    if (n == 0) return refused("dart_group_split", Status(Code::invalid_argument, "0 parts"));
    const std::size_t size = g->members.size(), part = (size + n - 1) / n;
    for (std::size_t i = 0; i < n; ++i) {
      const auto first = g->members.begin() + std::ptrdiff_t(std::min(size, i * part));
      const auto last = g->members.begin() + std::ptrdiff_t(std::min(size, (i + 1) * part));
      gout[i] = std::make_unique<dart_group_struct>(dart_group_struct{{first, last}}).release();
      if (first != last) ++*nout;
    }
    return DART_OK;
  });
}

}  // extern "C"
