// Atomic operations on single elements, and accumulate on many.
#include "api/dart/atomic/elements.hpp"
#include "api/dart/atomic/update.hpp"
#include "api/dart/job/error.hpp"
#include "api/dart/job/traced.hpp"
#include "api/dart/symbols.hpp"
#include "api/dart/transfer/transfer.hpp"

#include <cstring>
#include <optional>
#include <string>

using namespace polder;
using namespace polder::dart;

namespace {

struct AtomicCall {
  dart_gptr_t target;
  std::size_t count;
  dart_datatype_t type;
};

// Where this unit updates the elements itself, or null. Those of 16 bytes only their owner can.
std::byte* within_reach(const TargetPlace& place, dart_datatype_t type) {
  return basic_size(type) <= sizeof(std::uint64_t) || place.own ? place.direct : nullptr;
}

Status find_target(DartEpoch& epoch, const AtomicCall& update, TargetPlace& place) {
  const std::size_t element = basic_size(update.type);
  if (element == 0) return wrong_type(update.type, "basic");
  if (!find_place(epoch, update.target, place)) return no_place(epoch, update.target);
  if (update.count > (std::size_t{1} << 48) || !inside(update.target, place, update.count * element))
    return beyond_end(update.target, place, update.count * element);
  const auto where = place.direct != nullptr ? reinterpret_cast<std::uintptr_t>(place.direct)
                                             : std::uintptr_t(update.target.addr_or_offs.offset);
  if (where % element != 0)
    return {Code::invalid_alignment, "offset " + std::to_string(update.target.addr_or_offs.offset) +
                                         " is not aligned for an element of " + std::to_string(element) + " bytes"};
  return {};
}

Status check_operation(dart_operation_t op, dart_datatype_t type) {
  if (is_operation_on(op, type)) return {};
  return {Code::invalid_argument,
          "operation " + std::to_string(op) + " is not defined for elements of type " + std::to_string(type)};
}

Status accumulate(DartEpoch& epoch, const AtomicCall& update, const void* values, dart_operation_t op) {
  TargetPlace place;
  if (Status status = find_target(epoch, update, place); !status.ok()) return status;
  if (Status status = check_operation(op, update.type); !status.ok()) return status;
  if (update.count == 0 || op == DART_OP_NO_OP) return {};
  if (values == nullptr) return null_argument("values");
  if (std::byte* const here = within_reach(place, update.type); here != nullptr) {
    update_elements(here, values, update.count, 0, update.type, op);
    return {};
  }
  return epoch.unit().atomics.accumulate(place.atomic_target(update.target.addr_or_offs.offset), values, update.count,
                                         update.type, op);
}

// Words that the network itself updates.
std::optional<AtomicOp> word_operation(dart_operation_t op, dart_datatype_t type) {
  const std::size_t size = basic_size(type);
  if (size != 4 && size != 8) return {};
  switch (op) {
    case DART_OP_SUM: return is_floating(type) ? std::optional<AtomicOp>() : AtomicOp::fetch_add;
    case DART_OP_REPLACE: return AtomicOp::swap;
    case DART_OP_NO_OP: return AtomicOp::fetch_or;
    case DART_OP_BAND: return AtomicOp::fetch_and;
    case DART_OP_BOR: return AtomicOp::fetch_or;
    case DART_OP_BXOR: return AtomicOp::fetch_xor;
    default: return {};
  }
}

std::uint64_t word_of(const void* value, std::size_t size) {
  std::uint64_t word = 0;
  std::memcpy(&word, value, size);
  return word;
}

Status fetch(DartEpoch& epoch, const AtomicCall& update, const void* value, void* result, dart_operation_t op) {
  TargetPlace place;
  if (Status status = find_target(epoch, update, place); !status.ok()) return status;
  if (Status status = check_operation(op, update.type); !status.ok()) return status;
  if (result == nullptr) return null_argument("result");
  if (value == nullptr && op != DART_OP_NO_OP) return null_argument("value");
  if (std::byte* const here = within_reach(place, update.type); here != nullptr) {
    fetch_update(here, value, result, update.type, op);
    if (place.own) let_others_go_on(epoch);
    return {};
  }
  const GlobalAddress target = place.address(update.target.addr_or_offs.offset);
  const std::size_t size = basic_size(update.type);
  if (const auto word = word_operation(op, update.type))
    return epoch.runtime().post_atomic(*word, result, target, size, op == DART_OP_NO_OP ? 0 : word_of(value, size));
  return epoch.unit().atomics.fetch(place.atomic_target(target.offset), value, result, update.type, op);
}

Status compare_and_swap(DartEpoch& epoch, const AtomicCall& update, const void* value, const void* compare,
                        void* result) {
  TargetPlace place;
  if (Status status = find_target(epoch, update, place); !status.ok()) return status;
  if (is_floating(update.type)) return wrong_type(update.type, "integer");
  if (value == nullptr || compare == nullptr || result == nullptr)
    return null_argument(value == nullptr ? "value" : compare == nullptr ? "compare" : "result");
  const std::size_t size = basic_size(update.type);
  if (place.direct != nullptr) {
    compare_swap_element(place.direct, value, compare, result, size);
    if (place.own) let_others_go_on(epoch);
    return {};
  }
  const GlobalAddress target = place.address(update.target.addr_or_offs.offset);
  if (size >= 4)
    return epoch.runtime().post_atomic(AtomicOp::compare_swap, result, target, size, word_of(value, size),
                                       word_of(compare, size));
  return epoch.unit().atomics.compare_swap(place.atomic_target(target.offset), value, compare, result, update.type);
}

template <class Body>
dart_ret_t carry_out(const char* name, TracedDartCall& traced, const AtomicCall& update, Body body) {
  return guarded(name, [&] {
    DartEpoch* const epoch = current_epoch();
    if (epoch == nullptr) return refused_outside(name);
    if (TargetPlace place; traced.active() && find_place(*epoch, update.target, place) && place.part != nullptr) {
      traced.set_peer(place.part->rank);
      traced.set_bytes(update.count * basic_size(update.type));
    }
    return outcome(name, body(*epoch));
  });
}

}  // namespace

extern "C" {

dart_ret_t dart_accumulate(dart_gptr_t gptr, const void* values, size_t nelem, dart_datatype_t dtype,
                           dart_operation_t op) {
  TracedDartCall traced(DartCall::accumulate);
  const AtomicCall update{gptr, nelem, dtype};
  return carry_out("dart_accumulate", traced, update,
                   [&](DartEpoch& epoch) { return accumulate(epoch, update, values, op); });
}

dart_ret_t dart_accumulate_blocking_local(dart_gptr_t gptr, const void* values, size_t nelem, dart_datatype_t dtype,
                                          dart_operation_t op) {
  TracedDartCall traced(DartCall::accumulate_blocking_local);
  const AtomicCall update{gptr, nelem, dtype};
  return carry_out("dart_accumulate_blocking_local", traced, update,
                   [&](DartEpoch& epoch) { return accumulate(epoch, update, values, op); });
}

dart_ret_t dart_fetch_and_op(dart_gptr_t gptr, const void* value, void* result, dart_datatype_t dtype,
                             dart_operation_t op) {
  TracedDartCall traced(DartCall::fetch_and_op);
  const AtomicCall update{gptr, 1, dtype};
  return carry_out("dart_fetch_and_op", traced, update,
                   [&](DartEpoch& epoch) { return fetch(epoch, update, value, result, op); });
}

dart_ret_t dart_compare_and_swap(dart_gptr_t gptr, const void* value, const void* compare, void* result,
                                 dart_datatype_t dtype) {
  TracedDartCall traced(DartCall::compare_and_swap);
  const AtomicCall update{gptr, 1, dtype};
  return carry_out("dart_compare_and_swap", traced, update,
                   [&](DartEpoch& epoch) { return compare_and_swap(epoch, update, value, compare, result); });
}

}  // extern "C"
