// Put, get and accumulate as every call of them needs it: find the segment behind the address, and hand the transfer to
// the runtime. What is said here once holds for all shapes and all ways to wait.
#pragma once

#include "api/armci/job/context.hpp"
#include "api/armci/job/error.hpp"
#include "api/armci/symbols.hpp"
#include "api/armci/transfer/private_memory.hpp"

#include <polder/accumulate.hpp>
#include <polder/queue.hpp>
#include <polder/shape.hpp>
#include <polder/status.hpp>

namespace polder::armci {

// When a call returns: with its operation done locally, or at once; then the handle, if there is one, tells.
struct Mode {
  bool blocking = true;
  armci_hdl_t* handle = nullptr;
};

inline Mode until_done() {
  return {};
}
inline Mode posted(armci_hdl_t* handle) {
  return {.blocking = false, .handle = handle};
}

// Calls post(how) as the mode demands.
template <class Posting>
Status issue(Context& context, Mode mode, Posting&& post) {
  if (mode.blocking) return post(Post(Until::local));
  if (mode.handle == nullptr) return post(Post());
  return context.handles.post(*mode.handle, [&](Handle& handle) { return post(Post(handle)); });
}

// Why a transfer to or from `remote`, which is nothing that ARMCI gave out, cannot be: success if that may be private
// memory of this rank, which nobody else has access to.
Status check_private(const Context& context, const void* remote, const void* local, int proc);

template <class Form>  // bytes, or a Shape
Status put(Context& context, const void* source, void* target, const Form& form, int proc, Mode mode) {
  if (const auto place = context.addresses.find(Rank(proc), target)) [[likely]]
    return issue(context, mode, [&](const Post& how) { return context.runtime().put(source, *place, form, how); });
  Status status = check_private(context, target, source, proc);
  return status.ok() ? put_privately(source, target, form) : status;
}

template <class Form>
Status get(Context& context, const void* source, void* target, const Form& form, int proc, Mode mode) {
  if (const auto place = context.addresses.find(Rank(proc), source)) [[likely]]
    return issue(context, mode, [&](const Post& how) { return context.runtime().get(target, *place, form, how); });
  Status status = check_private(context, source, target, proc);
  return status.ok() ? get_privately(target, source, form) : status;
}

inline Status accumulate(Context& context, const Accumulation& how, const void* source, void* target,
                         const Shape& shape, int proc, Mode mode) {
  if (const auto place = context.addresses.find(Rank(proc), target)) [[likely]]
    return issue(context, mode,
                 [&](const Post& post) { return context.runtime().accumulate(how, source, *place, shape, post); });
  Status status = check_private(context, target, source, proc);
  return status.ok() ? accumulate_privately(how, source, target, shape) : status;
}

Status negative_size(long bytes);

}  // namespace polder::armci
