// GASPI 17.1, section 6: groups.
#include "api/gaspi/base/error.hpp"
#include "api/gaspi/base/traced.hpp"
#include "api/gaspi/collective/segment_creation.hpp"
#include "api/gaspi/life/context.hpp"

#include <algorithm>
#include <optional>

using namespace polder;
using namespace polder::gaspi;

namespace {

struct FoundGroup {
  Context* context = nullptr;
  GroupEntry* entry = nullptr;
};

gaspi_return_t find(const char* operation, gaspi_group_t id, FoundGroup& found) {
  found.context = current();
  if (found.context == nullptr) return refused(refuse_before_init(operation));
  found.entry = found.context->groups.find(id);
  if (found.entry != nullptr) return GASPI_SUCCESS;
  return refused(refuse(GASPI_ERR_INV_GROUP, operation, "the group must exist", id));
}

}  // namespace

extern "C" {

gaspi_return_t pgaspi_group_create(gaspi_group_t* group) {
  const TracedGaspiCall traced(GaspiCall::group_create, {});
  Context* const context = current();
  if (context == nullptr) return refuse_before_init("gaspi_group_create");
  if (group == nullptr) return refuse_null("gaspi_group_create", "group");
  return guarded("gaspi_group_create", [&] { return context->groups.create(context->config.group_max, *group); });
}
POLDER_WEAK_ALIAS(group_create);

gaspi_return_t pgaspi_group_add(gaspi_group_t group, gaspi_rank_t rank) {
  const TracedGaspiCall traced(GaspiCall::group_add, {.peer = rank});
  FoundGroup on;
  if (const auto code = find("gaspi_group_add", group, on); code != GASPI_SUCCESS) return code;
  if (rank >= on.context->size()) {
    return refuse(GASPI_ERR_INV_RANK, "gaspi_group_add", "the rank must be below gaspi_proc_num", rank);
  }
  return guarded("gaspi_group_add", [&] { return on.entry->add(rank); });
}
POLDER_WEAK_ALIAS(group_add);

gaspi_return_t pgaspi_group_commit(gaspi_group_t group, gaspi_timeout_t timeout_ms) {
  const TracedGaspiCall traced(GaspiCall::group_commit, {});
  FoundGroup on;
  if (const auto code = find("gaspi_group_commit", group, on); code != GASPI_SUCCESS) return code;
  const Waiting waiting;
  return guarded("gaspi_group_commit", [&] { return on.entry->commit(on.context->runtime(), to_timeout(timeout_ms)); });
}
POLDER_WEAK_ALIAS(group_commit);

gaspi_return_t pgaspi_group_delete(gaspi_group_t group) {
  const TracedGaspiCall traced(GaspiCall::group_delete, {});
  Context* const context = current();
  if (context == nullptr) return refuse_before_init("gaspi_group_delete");
  std::optional<gaspi_segment_id_t> given_up;
  const gaspi_return_t code = context->groups.remove(group, given_up);
  if (given_up) give_up_segment(*context, *given_up);
  return code;
}
POLDER_WEAK_ALIAS(group_delete);

gaspi_return_t pgaspi_group_num(gaspi_number_t* group_num) {
  Context* const context = current();
  if (context == nullptr) return refuse_before_init("gaspi_group_num");
  if (group_num == nullptr) return refuse_null("gaspi_group_num", "group_num");
  *group_num = context->groups.count();
  return GASPI_SUCCESS;
}
POLDER_WEAK_ALIAS(group_num);

gaspi_return_t pgaspi_group_size(gaspi_group_t group, gaspi_number_t* group_size) {
  FoundGroup on;
  if (const auto code = find("gaspi_group_size", group, on); code != GASPI_SUCCESS) return code;
  if (group_size == nullptr) return refuse_null("gaspi_group_size", "group_size");
  return guarded("gaspi_group_size", [&] {
    *group_size = gaspi_number_t(on.entry->ranks().size());
    return GASPI_SUCCESS;
  });
}
POLDER_WEAK_ALIAS(group_size);

gaspi_return_t pgaspi_group_ranks(gaspi_group_t group, gaspi_rank_t* group_ranks) {
  FoundGroup on;
  if (const auto code = find("gaspi_group_ranks", group, on); code != GASPI_SUCCESS) return code;
  if (group_ranks == nullptr) return refuse_null("gaspi_group_ranks", "group_ranks");
  return guarded("gaspi_group_ranks", [&] {
    std::ranges::transform(on.entry->ranks(), group_ranks, [](Rank rank) { return gaspi_rank_t(rank); });
    return GASPI_SUCCESS;
  });
}
POLDER_WEAK_ALIAS(group_ranks);

}  // extern "C"
