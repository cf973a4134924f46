// Reductions to all, over Polder's own: no rank spins in MPI where ranks outnumber cores.
#include "api/armci/collective/collectives.hpp"
#include "api/armci/job/context.hpp"
#include "api/armci/job/gather.hpp"
#include "api/armci/symbols.hpp"

#include <polder/collective.hpp>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

namespace polder::armci {
namespace {

// What is done to each element first.
enum class Prepare { nothing, absolute, truth };

struct NamedReduction {
  std::string_view name;
  Reduction op;
  Prepare prepare = Prepare::nothing;
};

// In ARMCI the beginning of the name counts. Truth values are 0 and 1, of which the least is their "and".
constexpr NamedReduction kReductions[] = {{"+", Reduction::sum},
                                          {"*", Reduction::product},
                                          {"max", Reduction::max},
                                          {"min", Reduction::min},
                                          {"absmax", Reduction::max, Prepare::absolute},
                                          {"absmin", Reduction::min, Prepare::absolute},
                                          {"or", Reduction::bit_or},
                                          {"&&", Reduction::min, Prepare::truth},
                                          {"||", Reduction::max, Prepare::truth},
                                          {"land", Reduction::min, Prepare::truth},
                                          {"lor", Reduction::max, Prepare::truth},
                                          {"band", Reduction::bit_and},
                                          {"bor", Reduction::bit_or}};

const NamedReduction* find_reduction(const char* op) {
  if (op == nullptr) return nullptr;
  const std::string_view wanted(op);
  for (const NamedReduction& named : kReductions)
    if (wanted.substr(0, named.name.size()) == named.name) return &named;
  return nullptr;
}

Result<DataType> data_type(int type) {
  switch (type) {
    case ARMCI_INT: return DataType::int32;
    case ARMCI_LONG:
    case ARMCI_LONG_LONG: return DataType::int64;
    case ARMCI_FLOAT: return DataType::float32;
    case ARMCI_DOUBLE: return DataType::float64;
    default: return Status(Code::invalid_argument, "there is no type " + std::to_string(type));
  }
}

// The smallest integer has no absolute value of its type; it stays what it is.
template <class T>
T absolute(T value) {
  if constexpr (std::is_integral_v<T>)
    return value < 0 ? T(std::make_unsigned_t<T>(0) - std::make_unsigned_t<T>(value)) : value;
  else
    return std::fabs(value);
}

template <class T>
void prepare_as(Prepare prepare, void* x, std::size_t count) {
  T* const values = static_cast<T*>(x);
  for (std::size_t i = 0; i < count; ++i)
    values[i] = prepare == Prepare::absolute ? absolute(values[i]) : T(values[i] != T(0));
}

void prepare_as(Prepare prepare, DataType type, void* x, std::size_t count) {
  switch (type) {
    case DataType::int32: return prepare_as<std::int32_t>(prepare, x, count);
    case DataType::int64: return prepare_as<std::int64_t>(prepare, x, count);
    case DataType::float32: return prepare_as<float>(prepare, x, count);
    default: return prepare_as<double>(prepare, x, count);
  }
}

// What a member means to reduce, for all to compare: where they differ, each would read what another never wrote.
struct Intent {
  std::int32_t count = 0;
  std::int16_t reduction = -1;  // its place in kReductions; -1: refused
  std::int16_t type = 0;        // a DataType

  friend bool operator==(const Intent&, const Intent&) = default;
};

Result<Intent> intent_of(const void* x, int count, const char* op, int type) {
  const NamedReduction* const named = find_reduction(op);
  if (named == nullptr)
    return Status(Code::invalid_argument, "there is no operation '" + std::string(op == nullptr ? "NULL" : op) + "'");
  const auto element = data_type(type);
  if (!element.ok()) return element.status();
  if (count < 0) return Status(Code::invalid_size, std::to_string(count) + " elements");
  if (count > 0 && x == nullptr) return Status(Code::invalid_argument, "the array is NULL");
  return Intent{count, std::int16_t(named - kReductions), std::int16_t(*element)};
}

void prepare(const Intent& intent, void* x) {
  const Prepare how = kReductions[intent.reduction].prepare;
  if (how != Prepare::nothing) prepare_as(how, DataType(intent.type), x, std::size_t(intent.count));
}

// An error where the operation is not defined for the type.
Result<ReductionSpec> spec_of(const Intent& intent) {
  return reduction(kReductions[intent.reduction].op, DataType(intent.type), std::size_t(intent.count));
}

std::string text_of(const Intent& intent) {
  if (intent.reduction < 0) return "a call that was refused";
  return std::to_string(intent.count) + " elements of " + std::string(to_string(DataType(intent.type))) + " by '" +
         std::string(kReductions[intent.reduction].name) + "'";
}

// Collective: the same answer at all members.
Status compare(Context& context, const Team& team, const Intent& mine) {
  if (team.size() == 1) return {};
  const auto all = gather(context, team, mine);
  if (!all.ok()) return all.status();
  for (std::size_t member = 0; member < all->size(); ++member) {
    if ((*all)[member] == (*all)[0]) continue;
    return {Code::invalid_argument, "members do not mean the same reduction: rank " + std::to_string(team.absolute(0)) +
                                        " has " + text_of((*all)[0]) + ", rank " +
                                        std::to_string(team.absolute(int(member))) + " " + text_of((*all)[member])};
  }
  return {};
}

}  // namespace

std::size_t element_size(int type) {
  const auto known = data_type(type);
  return known.ok() ? size_of(*known) : 0;
}

Status reduce_to_all(Context& context, const Team& team, void* x, int count, const char* op, int type) {
  const auto intent = intent_of(x, count, op, type);
  Status same = compare(context, team, intent.ok() ? *intent : Intent());
  if (!intent.ok()) return intent.status();
  if (!same.ok() || count == 0) return same;
  prepare(*intent, x);
  auto spec = spec_of(*intent);
  if (!spec.ok()) return std::move(spec).status();
  Allreduce allreduce(team.group(), *std::move(spec), x, x);
  return context.wait([&](Timeout slice) { return allreduce.run(slice); });
}

Status reduce_alone(void* x, int count, const char* op, int type) {
  const auto intent = intent_of(x, count, op, type);
  if (!intent.ok()) return intent.status();
  if (count == 0) return {};
  auto spec = spec_of(*intent);
  if (!spec.ok()) return std::move(spec).status();
  prepare(*intent, x);
  return {};
}

}  // namespace polder::armci
