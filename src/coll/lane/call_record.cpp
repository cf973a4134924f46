#include "coll/lane/call_record.hpp"

#include <polder/accumulate.hpp>

namespace polder::coll {
namespace {

std::string name_of_operation(std::uint8_t operation) {
  if (operation == CallRecord::kNoOperation) return "none";
  if (operation == CallRecord::kUserFunction) return "a function of the user";
  switch (operation) {
    case CallRecord::kLogical: return "logical and";
    case CallRecord::kLogical + 1: return "logical or";
    case CallRecord::kLogical + 2: return "logical exclusive or";
    case CallRecord::kLeastPlaced: return "min with its place";
    case CallRecord::kLargestPlaced: return "max with its place";
    default: return std::string(to_string(Reduction(operation)));
  }
}

std::string name_of_type(CallRecord call) {
  if (call.type == CallRecord::kExactSums) return "exact sums";
  if (call.type != CallRecord::kNoType && (call.type & CallRecord::kExact) != 0) {
    call.type ^= CallRecord::kExact;
    return "exact " + name_of_type(call);
  }
  if (call.type == CallRecord::kFloat16) return "float16";
  if (call.type == CallRecord::kBfloat16) return "bfloat16";
  if (call.type != CallRecord::kNoType) return std::string(to_string(DataType(call.type)));
  return std::to_string(call.element) + " bytes";
}

std::string name_of_root(std::uint32_t root) {
  return root == CallRecord::kNoRoot ? "none" : "member " + std::to_string(root);
}

std::string unequal(const char* field, const std::string& here, const std::string& there) {
  return std::string(field) + ": " + here + " here, " + there + " there";
}

}  // namespace

std::string_view to_string(Kind kind) {
  constexpr std::string_view kNames[] = {"nothing",        "barrier",   "broadcast", "reduce",  "allreduce",
                                         "reduce_scatter", "allgather", "gather",    "scatter", "alltoall",
                                         "scan",           "exscan",    "neighbours"};
  return kind <= kLastKind ? kNames[std::size_t(kind)] : "an unknown collective";
}

std::optional<Kind> kind_of(std::string_view name) {
  for (std::uint8_t kind = 1; kind <= std::uint8_t(kLastKind); ++kind)
    if (name == to_string(Kind(kind))) return Kind(kind);
  return std::nullopt;
}

std::string CallRecord::describe() const {
  std::string text(to_string(kind));
  if (kind != Kind::barrier) text += " of " + std::to_string(count) + " elements of " + name_of_type(*this);
  if (operation != kNoOperation) text += " by " + name_of_operation(operation);
  if (is_rooted(kind)) text += " with root " + name_of_root(root);
  return text;
}

std::string CallRecord::difference(const CallRecord& here, const CallRecord& there) {
  if (here.kind != there.kind)
    return unequal("kind", std::string(to_string(here.kind)), std::string(to_string(there.kind)));
  if (here.root != there.root) return unequal("root", name_of_root(here.root), name_of_root(there.root));
  if (here.type != there.type || here.element != there.element)
    return unequal("type", name_of_type(here), name_of_type(there));
  if (here.operation != there.operation)
    return unequal("operation", name_of_operation(here.operation), name_of_operation(there.operation));
  if (here.count != there.count) return unequal("count", std::to_string(here.count), std::to_string(there.count));
  if (here.algorithm != there.algorithm)
    return unequal("algorithm", std::to_string(here.algorithm), std::to_string(there.algorithm));
  if (here.signature != there.signature && has_parts(here.kind)) return "parts: others here than there";
  return unequal("number", std::to_string(here.number), std::to_string(there.number));
}

}  // namespace polder::coll
