#include "coll/eventual/wish.hpp"

#include "util/random.hpp"

#include <algorithm>
#include <bit>
#include <string>

namespace polder::coll {
namespace {

bool is_share(double share) {
  return share >= 0 && share <= 1;  // no NaN either
}

// When a member joins a binomial tree whose root has number 0.
unsigned stage_of(Rank number) {
  return unsigned(std::bit_width(number));
}

}  // namespace

Status check_enhancement(const Threshold& before, const Threshold& more) {
  const char* wrong = nullptr;
  if (more.choose != before.choose || more.leave_out != before.leave_out)
    wrong = "an enhancement chooses as the operation did";
  else if (more.data < before.data || more.members < before.members)
    wrong = "an enhancement asks for more, or for the same";
  return wrong == nullptr ? Status() : Status(Code::invalid_argument, std::string("eventual collectives: ") + wrong);
}

Status Wish::wrong(const char* what, Code code) const {
  return {code, "eventual " + std::string(to_string(kind)) + ": " + what};
}

Status Wish::check(const EventualSpec& room, Rank members) const {
  if (root >= members) return wrong("there is no such root in the group", Code::invalid_rank);
  std::size_t bytes = 0;
  if (spec.element_size == 0 || __builtin_mul_overflow(spec.count, spec.element_size, &bytes))
    return wrong("elements of 0 bytes, or more than any memory has", Code::invalid_size);
  if (bytes > room.bytes) return wrong("the vector is longer than EventualSpec::bytes", Code::invalid_size);
  if (kind != Kind::broadcast && !spec.combine) return wrong("there is no function that combines");
  if (spec.narrow_size != 0 && (spec.widen == nullptr || spec.narrow == nullptr))
    return wrong("elements that are to be widened, and no function for it");
  if (Status status = check_shares(); !status.ok()) return status;
  if (enough.choose == Choose::largest && !room.largest) return wrong("EventualSpec::largest was not asked for");
  if (enough.choose == Choose::largest && (!has_magnitude(type()) || spec.element_size != size_of(DataType(type()))))
    return wrong("elements without a magnitude have no largest one");
  return enough.choose == Choose::order ? check_order() : Status();
}

Status Wish::check_shares() const {
  if (!is_share(enough.data) || !is_share(enough.members)) return wrong("a share is from 0 to 1");
  if (!(enough.weight >= 0) || !(enough.mine >= 0)) return wrong("a weight is not negative");
  if (enough.choose > Choose::largest || enough.leave_out > LeaveOut::stages) return wrong("there is no such choice");
  return {};
}

Status Wish::check_order() const {
  if (order.size() < chosen()) return wrong("the order has fewer elements than are asked for");
  EventualStatus::Bits seen((spec.count + 63) / 64);
  for (std::size_t i = 0; i < chosen(); ++i) {
    if (order[i] >= spec.count || EventualStatus::has(seen, order[i]))
      return wrong("the order has an element twice, or one that does not exist");
    set_bit(seen, order[i]);
  }
  return {};
}

bool Wish::is_same_call(const Wish& other) const {
  return kind == other.kind && root == other.root && given_send == other.given_send &&
         given_receive == other.given_receive && more == other.more && spec.count == other.spec.count &&
         spec.element_size == other.spec.element_size && spec.narrow_size == other.spec.narrow_size &&
         spec.operation == other.spec.operation && spec.type == other.spec.type && enough.data == other.enough.data &&
         enough.members == other.enough.members && enough.weight == other.enough.weight &&
         enough.choose == other.enough.choose && enough.leave_out == other.enough.leave_out && order == other.order;
}

std::uint8_t Wish::type() const {
  const bool is_half = spec.type == CallRecord::kFloat16 || spec.type == CallRecord::kBfloat16;
  return is_half ? std::uint8_t(DataType::float32) : spec.type;
}

Rank Wish::needed(Rank members) const {
  Rank needed = Rank(part_of(enough.members, members));
  if (kind != Kind::broadcast && needed == 0) needed = 1;
  if (enough.leave_out == LeaveOut::late || needed == 0) return needed;
  return std::min<Rank>(members, std::bit_ceil(needed));
}

bool Wish::takes_part(Rank member, Rank members) const {
  if (enough.leave_out == LeaveOut::late) return true;
  const Rank number = member >= root ? member - root : member + members - root;
  const Rank needed = this->needed(members);
  return number == 0 || (needed != 0 && stage_of(number) <= stage_of(needed - 1));
}

EventualCall Wish::call(std::size_t first) const {
  std::uint64_t hash = 0;
  for (std::size_t i = 0; i < order.size() && i < chosen(); ++i) hash = util::mix(hash ^ order[i]);
  return {.root = root,
          .kind = std::uint8_t(kind),
          .enhances = more,
          .choose = std::uint8_t(enough.choose),
          .leave_out = std::uint8_t(enough.leave_out),
          .count = spec.count,
          .chosen = chosen(),
          .first = first,
          .element_size = std::uint32_t(spec.element_size),
          .operation = spec.operation,
          .type = spec.type,
          .members = enough.members,
          .order = hash};
}

}  // namespace polder::coll
