#include "coll/eventual/eventual_call.hpp"

#include "coll/lane/call_record.hpp"
#include "util/random.hpp"

#include <cstdio>
#include <cstring>

namespace polder::coll {
namespace {

std::string text_of_share(double share) {
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), "%g", share);
  return text.data();
}

}  // namespace

std::string EventualCall::difference(const EventualCall& there) const {
  const auto both = [](const char* name, const std::string& one, const std::string& two) {
    return std::string(name) + " is " + one + " here and " + two + " there";
  };
  const auto numbers = [&](const char* name, std::uint64_t one, std::uint64_t two) {
    return both(name, std::to_string(one), std::to_string(two));
  };
  if (kind != there.kind)
    return both("the kind", std::string(to_string(Kind(kind))), std::string(to_string(Kind(there.kind))));
  if (root != there.root) return numbers("the root", root, there.root);
  if (enhances != there.enhances) return numbers("whether it enhances", enhances, there.enhances);
  if (count != there.count) return numbers("the count", count, there.count);
  if (element_size != there.element_size) return numbers("the size of an element", element_size, there.element_size);
  if (operation != there.operation) return numbers("the operation", operation, there.operation);
  if (type != there.type) return numbers("the type", type, there.type);
  if (choose != there.choose) return numbers("Threshold::choose", choose, there.choose);
  if (leave_out != there.leave_out) return numbers("Threshold::leave_out", leave_out, there.leave_out);
  if (chosen != there.chosen) return numbers("the number of elements asked for", chosen, there.chosen);
  if (members != there.members) return both("Threshold::members", text_of_share(members), text_of_share(there.members));
  if (first != there.first) return numbers("the first element", first, there.first);
  if (way != there.way) return "only one has a Threshold::weight, or a function that commutes";
  return "the order of elements differs";
}

std::uint64_t EventualCall::hash() const {
  std::uint64_t words[sizeof(EventualCall) / sizeof(std::uint64_t)], hash = 0;
  std::memcpy(words, this, sizeof words);
  for (const std::uint64_t word : words) hash = util::mix(hash ^ word);
  return hash;
}

}  // namespace polder::coll
