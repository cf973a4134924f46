// The calls of gpi_cp.h: arguments, results and reasons.
#include "api/gpi_cp/descriptions.hpp"
#include "api/gpi_cp/gaspi_side.hpp"

#include <GASPI_Polder.h>
#pragma GCC visibility push(default)
#include <gpi_cp.h>
#pragma GCC visibility pop

#include <chrono>
#include <cstdlib>
#include <new>
#include <string>

using namespace polder;
using polder::gpi_cp::descriptions;
using polder::gpi_cp::SavedRange;

// Memory of malloc, because the program frees it with free().
struct gpi_cp_description {
  std::uint64_t number;  // 0: fresh, or finalized
};

namespace {

std::string& last_reason() {
  static thread_local std::string reason;
  return reason;
}

Timeout patience_of(gaspi_timeout_t timeout) {
  if (timeout == GASPI_BLOCK) return Timeout::block();
  if (timeout == GASPI_TEST) return Timeout::test();
  return std::chrono::milliseconds(timeout);
}

// Runs a call and says how it went as GASPI would.
template <class Call>
gaspi_return_t answer(const char* name, Call&& call) {
  Status status;
  try {
    status = call();
  } catch (const std::bad_alloc&) {
    status = Code::out_of_memory;
  }
  if (status.ok()) return GASPI_SUCCESS;
  if (status.timed_out()) return GASPI_TIMEOUT;
  last_reason() = std::string(name) + ": " + status.to_string();
  return GASPI_ERROR;
}

Status refuse(const char* why) {
  return Status(Code::invalid_argument, why);
}

// For calls that need a description which gpi_cp_init or gpi_cp_restore knows.
template <class Call>
gaspi_return_t with_range(const char* name, gpi_cp_description_t description, Call&& call) {
  return answer(name, [&]() -> Status {
    if (description == nullptr) return refuse("the description is null");
    SavedRange* const saved = descriptions().find(description->number);
    if (saved == nullptr || !saved->initialised()) return refuse("the description was not initialised");
    if (polder_gaspi_runtime() != &saved->runtime()) return refuse("its GASPI has ended");
    return call(*saved);
  });
}

void end(gpi_cp_description_t description) {
  descriptions().end(description->number);
  description->number = 0;
}

struct Arguments {
  gaspi_segment_id_t segment;
  gaspi_offset_t offset;
  gaspi_size_t size;
  gaspi_queue_id_t queue;
  gpi_cp_policy_t policy;
  gaspi_group_t group;
};

// Checks what init and restore have in common, and calls `then(saved, wanted)`.
template <class Then>
Status with_arguments(const Arguments& given, gpi_cp_description_t description, Then&& then) {
  Runtime* const runtime = polder_gaspi_runtime();
  if (runtime == nullptr) return refuse("outside of gaspi_proc_init and gaspi_proc_term");
  if (description == nullptr) return refuse("the description is null");
  if (given.policy != GPI_CP_POLICY_RING && given.policy != GPI_CP_POLICY_TWO_MIRRORS)
    return refuse("the policy must be GPI_CP_POLICY_RING or GPI_CP_POLICY_TWO_MIRRORS");
  if (Status status = gpi_cp::check_queue(given.queue); !status.ok()) return status;
  const auto members = gpi_cp::members_of(given.group);
  if (!members.ok()) return members.status();
  const auto range = gpi_cp::range_of(given.segment, given.offset, given.size);
  if (!range.ok()) return range.status();
  if (descriptions().find(description->number) == nullptr) description->number = descriptions().make(*runtime);
  SavedRange& saved = *descriptions().find(description->number);
  if (&saved.runtime() != runtime) return refuse("its GASPI has ended");
  Status status = then(saved, gpi_cp::WantedCopies{*range, *members, std::uint32_t(given.policy)});
  if (saved.is_fresh()) end(description);
  return status;
}

// For looks at a description, which have no way to say that it is none.
SavedRange* look_at(gpi_cp_description_t description) {
  return description != nullptr ? descriptions().find(description->number) : nullptr;
}

}  // namespace

extern "C" {

gpi_cp_description_t GPI_CP_DESCRIPTION_INITIALIZER() {
  return static_cast<gpi_cp_description_t>(std::calloc(1, sizeof(gpi_cp_description)));
}

gaspi_return_t gpi_cp_version(float* version) {
  return answer("gpi_cp_version", [&]() -> Status {
    if (version == nullptr) return refuse("version is null");
    *version = 1.0f;
    return {};
  });
}

gaspi_return_t gpi_cp_init(gaspi_segment_id_t segment, gaspi_offset_t offset, gaspi_size_t size, gaspi_queue_id_t queue,
                           gpi_cp_policy_t policy, gaspi_group_t group, gpi_cp_description_t description,
                           gaspi_timeout_t timeout) {
  return answer("gpi_cp_init", [&] {
    return with_arguments({segment, offset, size, queue, policy, group}, description,
                          [&](SavedRange& saved, const gpi_cp::WantedCopies& wanted) -> Status {
                            if (saved.initialised()) return refuse("the description was initialised before");
                            return saved.init(wanted, patience_of(timeout));
                          });
  });
}

gaspi_return_t gpi_cp_start(gpi_cp_description_t description, gaspi_timeout_t timeout) {
  return with_range("gpi_cp_start", description, [&](SavedRange& saved) { return saved.start(patience_of(timeout)); });
}

gaspi_return_t gpi_cp_commit(gpi_cp_description_t description, gaspi_timeout_t timeout) {
  return with_range("gpi_cp_commit", description,
                    [&](SavedRange& saved) { return saved.commit(patience_of(timeout)); });
}

gaspi_return_t gpi_cp_restore(gaspi_segment_id_t segment, gaspi_offset_t offset, gaspi_size_t size,
                              gaspi_queue_id_t queue, gpi_cp_policy_t policy, gaspi_group_t new_group,
                              gpi_cp_description_t description, gaspi_timeout_t timeout) {
  return answer("gpi_cp_restore", [&] {
    return with_arguments({segment, offset, size, queue, policy, new_group}, description,
                          [&](SavedRange& saved, const gpi_cp::WantedCopies& wanted) {
                            return saved.restore(wanted, patience_of(timeout));
                          });
  });
}

gaspi_return_t gpi_cp_finalize(gpi_cp_description_t description, gaspi_timeout_t timeout) {
  // Of a spare that was never needed.
  if (description != nullptr && polder_gaspi_runtime() != nullptr && look_at(description) == nullptr)
    return GASPI_SUCCESS;
  return with_range("gpi_cp_finalize", description, [&](SavedRange& saved) {
    Status status = saved.finalize(patience_of(timeout));
    if (status.ok()) end(description);
    return status;
  });
}

gaspi_return_t gpi_cp_read_buddy(gpi_cp_description_t description, gaspi_timeout_t timeout) {
  return with_range("gpi_cp_read_buddy", description,
                    [&](SavedRange& saved) { return saved.read_buddy(patience_of(timeout)); });
}

bool gpi_cp_get_state_in_progress(gpi_cp_description_t description) {
  const SavedRange* const saved = look_at(description);
  return saved != nullptr && saved->in_progress();
}

gaspi_offset_t gpi_cp_get_active_snapshot(gpi_cp_description_t description) {
  const SavedRange* const saved = look_at(description);
  return saved != nullptr ? saved->active() : 0;
}

gaspi_pointer_t gpi_cp_get_receiver_ptr(gpi_cp_description_t description) {
  SavedRange* const saved = look_at(description);
  if (saved == nullptr) return nullptr;
  try {
    return saved->window();
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

gaspi_return_t gpi_cp_get_unused_segment_id(gaspi_segment_id_t* segment) {
  return answer("gpi_cp_get_unused_segment_id", [&]() -> Status {
    if (segment == nullptr) return refuse("the segment is null");
    const auto id = gpi_cp::unused_segment_id();
    if (!id.ok()) return id.status();
    *segment = *id;
    return {};
  });
}

gaspi_return_t gpi_cp_get_epoch(gpi_cp_description_t description, gaspi_number_t* epoch) {
  return with_range("gpi_cp_get_epoch", description, [&](SavedRange& saved) -> Status {
    if (epoch == nullptr) return refuse("the epoch is null");
    *epoch = gaspi_number_t(saved.epoch());
    return {};
  });
}

gaspi_return_t gpi_cp_rollback(gpi_cp_description_t description, gaspi_timeout_t timeout) {
  return with_range("gpi_cp_rollback", description,
                    [&](SavedRange& saved) { return saved.rollback(patience_of(timeout)); });
}

const char* gpi_cp_error_detail() {
  return last_reason().c_str();
}

}  // extern "C"
