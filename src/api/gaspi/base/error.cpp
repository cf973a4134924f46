#include "api/gaspi/base/error.hpp"

#include "api/gaspi/base/reasons.hpp"

#include <polder/trace_door.hpp>

#include <cstdio>

namespace polder::gaspi {
namespace {

// Fixed room, so that an error can be told even when memory has run out.
struct Detail {
  char text[512] = "";
};
thread_local Detail detail;

// An address for each code, as the kinds of reasons.
const void* kind_of(Code code) {
  static const char kinds[64] = {};
  return &kinds[unsigned(code) % sizeof kinds];
}

void keep(const Status& status) {
  const std::string_view text = status.message().empty() ? to_string(status.code()) : status.message();
  std::snprintf(detail.text, sizeof detail.text, "%.*s", int(text.size()), text.data());
}

// For traces, which tell outcomes in Polder's words.
Code from_gaspi(gaspi_return_t code) {
  switch (code) {
    case GASPI_SUCCESS: return Code::ok;
    case GASPI_TIMEOUT: return Code::timeout;
    case GASPI_QUEUE_FULL: return Code::queue_full;
    case GASPI_ERR_INV_RANK: return Code::invalid_rank;
    case GASPI_ERR_INV_SEG: return Code::invalid_segment;
    case GASPI_ERR_INV_LOC_OFF:
    case GASPI_ERR_INV_REM_OFF: return Code::invalid_offset;
    case GASPI_ERR_INV_QUEUE: return Code::invalid_queue;
    case GASPI_ERR_INV_GROUP: return Code::invalid_group;
    case GASPI_ERR_INV_NOTIF_ID: return Code::invalid_notification;
    case GASPI_ERR_MEMALLOC: return Code::out_of_memory;
    case GASPI_ERR_ENV: return Code::system;
    case GASPI_ERROR: return Code::peer_failed;
    default: return Code::invalid_argument;
  }
}

}  // namespace

gaspi_return_t to_gaspi(Code code) {
  switch (code) {
    case Code::ok: return GASPI_SUCCESS;
    case Code::timeout: return GASPI_TIMEOUT;
    case Code::invalid_rank: return GASPI_ERR_INV_RANK;
    case Code::invalid_segment: return GASPI_ERR_INV_SEG;
    case Code::invalid_offset: return GASPI_ERR_INV_REM_OFF;
    case Code::invalid_size: return GASPI_ERR_INV_SIZE;
    case Code::invalid_alignment: return GASPI_ERR_UNALIGN_OFF;
    case Code::invalid_queue: return GASPI_ERR_INV_QUEUE;
    case Code::invalid_group: return GASPI_ERR_INV_GROUP;
    case Code::invalid_notification: return GASPI_ERR_INV_NOTIF_ID;
    case Code::invalid_argument: return GASPI_ERR_INV_NUM;
    case Code::exists: return GASPI_ERR_INV_SEG;
    case Code::limit: return GASPI_ERR_MANY_SEG;
    case Code::queue_full: return GASPI_QUEUE_FULL;
    case Code::busy: return GASPI_ERR_ACTIVE_COLL;
    case Code::out_of_memory: return GASPI_ERR_MEMALLOC;
    case Code::unsupported: return GASPI_ERR_DEVICE;
    case Code::peer_failed: return GASPI_ERROR;
    case Code::closed: return GASPI_ERR_NOINIT;
    case Code::system: return GASPI_ERR_ENV;
    case Code::owner_died: return GASPI_ERROR;
  }
  return GASPI_ERROR;
}

const char* text_of(gaspi_return_t code) {
  switch (code) {
    case GASPI_ERROR: return "general error";
    case GASPI_SUCCESS: return "success";
    case GASPI_TIMEOUT: return "timeout: not finished in the given time, call again";
    case GASPI_ERR_EMFILE: return "too many open files";
    case GASPI_ERR_ENV: return "the environment does not allow it";
    case GASPI_ERR_SN_PORT: return "invalid port number";
    case GASPI_ERR_CONFIG: return "invalid parameter in the configuration";
    case GASPI_ERR_NOINIT: return "called before gaspi_proc_init or after gaspi_proc_term";
    case GASPI_ERR_INITED: return "called after gaspi_proc_init";
    case GASPI_ERR_NULLPTR: return "a pointer argument is null";
    case GASPI_ERR_INV_SEGSIZE: return "invalid segment size";
    case GASPI_ERR_INV_SEG: return "invalid segment id";
    case GASPI_ERR_INV_GROUP: return "invalid group";
    case GASPI_ERR_INV_RANK: return "invalid rank";
    case GASPI_ERR_INV_QUEUE: return "invalid queue id";
    case GASPI_ERR_INV_LOC_OFF: return "invalid local offset: the range leaves the local segment";
    case GASPI_ERR_INV_REM_OFF: return "invalid remote offset: the range leaves the remote segment";
    case GASPI_ERR_INV_COMMSIZE: return "invalid size of a transfer";
    case GASPI_ERR_INV_NOTIF_VAL: return "invalid notification value: 0 means not set";
    case GASPI_ERR_INV_NOTIF_ID: return "invalid notification id";
    case GASPI_ERR_INV_NUM: return "invalid number";
    case GASPI_ERR_INV_SIZE: return "invalid size";
    case GASPI_ERR_MANY_SEG: return "too many segments";
    case GASPI_ERR_MANY_GRP: return "too many groups";
    case GASPI_QUEUE_FULL: return "the queue is full: wait on it or use another";
    case GASPI_ERR_UNALIGN_OFF: return "unaligned offset: atomics need a multiple of 8";
    case GASPI_ERR_ACTIVE_COLL: return "a collective of this kind is under way on the group";
    case GASPI_ERR_DEVICE: return "error of the communication device";
    case GASPI_ERR_SN: return "error of the start-up network";
    case GASPI_ERR_MEMALLOC: return "memory allocation failed";
  }
  return "unknown error code";
}

gaspi_return_t failed(const Status& status) {
  const gaspi_return_t code = to_gaspi(status.code());
  trace::DoorCall::note_outcome(status.code());
  // Those two are no errors but part of normal life, and must stay cheap.
  if (code == GASPI_TIMEOUT || code == GASPI_QUEUE_FULL) return code;
  keep(status);
  if (code == GASPI_ERROR) say_reason(kind_of(status.code()), detail.text);
  return code;
}

gaspi_return_t failed_to_start(const Status& status) {
  if (status.timed_out()) return GASPI_TIMEOUT;
  keep(status);
  say_reason(kind_of(status.code()), detail.text);
  return to_gaspi(status.code());
}

gaspi_return_t in_trace(gaspi_return_t code) {
  trace::DoorCall::note_outcome(from_gaspi(code));
  return code;
}

gaspi_return_t refuse(gaspi_return_t code, const char* operation, const char* text) {
  std::snprintf(detail.text, sizeof detail.text, "%s: %s", operation, text);
  if (code == GASPI_ERROR) say_reason(text, detail.text);
  return in_trace(code);
}

gaspi_return_t refuse(gaspi_return_t code, const char* operation, const char* text, unsigned long value) {
  std::snprintf(detail.text, sizeof detail.text, "%s: %s, not %lu", operation, text, value);
  if (code == GASPI_ERROR) say_reason(text, detail.text);
  return in_trace(code);
}

gaspi_return_t ended_by_term(const char* operation) {
  std::snprintf(detail.text, sizeof detail.text, "%s: gaspi_proc_term was called during the wait", operation);
  return in_trace(GASPI_ERROR);
}

gaspi_return_t refuse_null(const char* operation, const char* argument) {
  std::snprintf(detail.text, sizeof detail.text, "%s: the pointer '%s' is null", operation, argument);
  return in_trace(GASPI_ERR_NULLPTR);
}

gaspi_return_t refuse_before_init(const char* operation) {
  return refuse(GASPI_ERR_NOINIT, operation,
                "gaspi_proc_init has not succeeded yet, or gaspi_proc_term has been called");
}

const char* last_detail() {
  return detail.text;
}

}  // namespace polder::gaspi
