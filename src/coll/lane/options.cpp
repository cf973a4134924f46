#include "coll/lane/options.hpp"

#include "util/fibres.hpp"

#include <string>

namespace polder::coll {
namespace {

constexpr util::Option kLaneOptions[] = {
    {"POLDER_COLL_COPIES", "measured",
     "how collectives put what other ranks of the machine take: cached, past_cache, measured (by what proves better)"},
    {"POLDER_COLL_PRIVATE", "measured",
     "how often collectives copy private memory to other ranks of the machine: once (by the kernel), twice, measured "
     "(by what proves better)"}};
constexpr const util::Option& kCopies = kLaneOptions[0];
constexpr const util::Option& kPrivate = kLaneOptions[1];

}  // namespace

std::span<const util::Option> lane_options() {
  return kLaneOptions;
}

util::OutwardCopy outward_copy_option() {
  const std::string way = util::option_text(kCopies);
  if (way == "cached") return util::OutwardCopy(util::OutwardCopy::Way::through_cache);
  if (way == "past_cache") return util::OutwardCopy(util::OutwardCopy::Way::past_cache);
  if (way != kCopies.default_value) util::report_misunderstood(kCopies, way);
  return {};
}

CopyWays::Ways copy_ways_option() {
  const std::string copies = util::option_text(kPrivate);
  if (copies == "once") return CopyWays::Ways::once;
  if (copies == "twice") return CopyWays::Ways::twice;
  if (copies != kPrivate.default_value) util::report_misunderstood(kPrivate, copies);
  // What is measured would make a course in virtual time another one each time.
  return util::Fibres::here() != nullptr ? CopyWays::Ways::twice : CopyWays::Ways::measured;
}

}  // namespace polder::coll
