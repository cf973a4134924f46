// armci_msg_sel: the data of whoever has the largest or smallest element.
#include "api/armci/collective/collectives.hpp"
#include "api/armci/job/context.hpp"
#include "api/armci/job/gather.hpp"
#include "api/armci/symbols.hpp"

#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace polder::armci {
namespace {

// What a member shows of itself.
struct Offer {
  std::byte value[8];
  std::uint64_t contributes;
};

template <class T>
bool beats(const Offer& one, const Offer& other, bool largest) {
  T a, b;
  std::memcpy(&a, one.value, sizeof a);
  std::memcpy(&b, other.value, sizeof b);
  return largest ? a > b : a < b;
}

bool beats(int type, const Offer& one, const Offer& other, bool largest) {
  switch (type) {
    case ARMCI_INT: return beats<int>(one, other, largest);
    case ARMCI_FLOAT: return beats<float>(one, other, largest);
    case ARMCI_DOUBLE: return beats<double>(one, other, largest);
    default: return beats<long>(one, other, largest);
  }
}

// -1: nobody contributes. Offers are in the order of members.
int winner(const std::vector<Offer>& offers, int type, bool largest) {
  int best = -1;
  for (std::size_t member = 0; member < offers.size(); ++member) {
    if (offers[member].contributes == 0) continue;
    if (best < 0 || beats(type, offers[member], offers[std::size_t(best)], largest)) best = int(member);
  }
  return best;
}

}  // namespace

Status check(const Selection& selection) {
  const std::string_view op(selection.op == nullptr ? "NULL" : selection.op);
  if (op.substr(0, 3) != "max" && op.substr(0, 3) != "min")
    return {Code::invalid_argument, "there is no selection by '" + std::string(op) + "'"};
  const std::size_t size = element_size(selection.type);
  if (size == 0) return {Code::invalid_argument, "there is no type " + std::to_string(selection.type)};
  if (selection.bytes.size() < size)
    return {Code::invalid_size, std::to_string(selection.bytes.size()) + " bytes hold no element"};
  if (selection.bytes.data() == nullptr) return {Code::invalid_argument, "the array is NULL"};
  return {};
}

Status select(Context& context, Team& team, const Selection& selection) {
  if (Status status = check(selection); !status.ok()) return status;
  Offer mine{{}, selection.contribute ? 1u : 0u};
  std::memcpy(mine.value, selection.bytes.data(), element_size(selection.type));
  const auto offers = gather(context, team, mine);
  if (!offers.ok()) return offers.status();
  const int best = winner(*offers, selection.type, std::string_view(selection.op).substr(0, 3) == "max");
  return best < 0 ? Status() : broadcast(context, team, team.absolute(best), selection.bytes);
}

}  // namespace polder::armci
