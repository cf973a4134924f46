#include "bootstrap/pmix/events.hpp"

#include "bootstrap/pmix/answer.hpp"
#include "util/log.hpp"

#include <signal.h>

#include <array>
#include <chrono>
#include <cstring>
#include <span>

namespace polder::bootstrap::pmix {
namespace {

using namespace std::chrono_literals;

constexpr Timeout kPatience = 10s;  // for the daemon of this node

// How daemons call the end of a process; which of them say what differs between launchers and their releases.
constexpr std::array<pmix_status_t, 9> kListened{
    PMIX_ERR_PROC_ABORTED,        PMIX_ERR_PROC_REQUESTED_ABORT,       PMIX_ERR_PROC_TERM_WO_SYNC,
    PMIX_EVENT_PROC_TERMINATED,   PMIX_ERR_PROC_KILLED_BY_CMD,         PMIX_ERR_PROC_FAILED_TO_START,
    PMIX_ERR_PROC_ABORTED_BY_SIG, PMIX_ERR_PROC_SENSOR_BOUND_EXCEEDED, PMIX_ERR_LOST_CONNECTION,
};

struct Registered {
  pmix_status_t status;
  std::size_t handler;
};

void on_registered(pmix_status_t status, std::size_t handler, void* share) {
  take_share<Registered>(share)->give({status, handler});
}

void on_done(pmix_status_t status, void* share) {
  take_share<pmix_status_t>(share)->give(status);
}

const pmix_proc_t* affected_by(const pmix_proc_t* source, std::span<const pmix_info_t> info) {
  for (const pmix_info_t& each : info)
    if (std::strncmp(each.key, PMIX_EVENT_AFFECTED_PROC, PMIX_MAX_KEYLEN) == 0) return each.value.data.proc;
  return source;
}

void* listener_of(std::span<const pmix_info_t> info) {
  for (const pmix_info_t& each : info)
    if (std::strncmp(each.key, PMIX_EVENT_RETURN_OBJECT, PMIX_MAX_KEYLEN) == 0) return each.value.data.ptr;
  return nullptr;
}

}  // namespace

Result<std::unique_ptr<Events>> Events::listen(const Client& client, const local::JobPage& page) {
  std::unique_ptr<Events> events(new Events(client, page));
  auto codes = kListened;
  pmix_info_t info[1];
  PMIX_INFO_LOAD(&info[0], PMIX_EVENT_RETURN_OBJECT, events.get(), PMIX_POINTER);
  const auto answer = std::make_shared<Answer<Registered>>();
  const pmix_status_t status = PMIx_Register_event_handler(codes.data(), codes.size(), info, 1, &Events::on_event,
                                                           on_registered, share_of(answer));
  if (status != PMIX_SUCCESS) return pmix_error("PMIx_Register_event_handler", status);
  const auto registered = answer->wait(util::Deadline(kPatience));
  if (!registered) return Status(Code::timeout, "the launcher's daemon does not take an event handler");
  if (registered->status != PMIX_SUCCESS) return pmix_error("PMIx_Register_event_handler", registered->status);
  events->handler_ = registered->handler;
  return events;
}

Events::~Events() {
  if (!client_.is_ours()) return;
  const auto answer = std::make_shared<Answer<pmix_status_t>>();
  void* share = share_of(answer);
  const pmix_status_t status = PMIx_Deregister_event_handler(handler_, on_done, share);
  if (status == PMIX_SUCCESS)
    answer->wait(util::Deadline(kPatience));
  else
    take_share<pmix_status_t>(share);
}

void Events::on_event(std::size_t, pmix_status_t event, const pmix_proc_t* source, pmix_info_t info[],
                      std::size_t infos, pmix_info_t[], std::size_t, pmix_event_notification_cbfunc_fn_t done,
                      void* token) {
  const std::span<const pmix_info_t> more(info, infos);
  const auto* me = static_cast<const Events*>(listener_of(more));
  const pmix_proc_t* affected = affected_by(source, more);
  if (me != nullptr && affected != nullptr) me->take(event, *affected);
  if (done != nullptr) done(PMIX_EVENT_ACTION_COMPLETE, nullptr, 0, nullptr, nullptr, token);
}

// As with the lifeline of polder run: without its launcher nobody would end this rank, or want what it does.
void Events::end_without_launcher() const {
  util::log(util::LogLevel::error, "rank %u lost its launcher and ends", client_.rank());
  raise(SIGKILL);
}

void Events::take(pmix_status_t event, const pmix_proc_t& affected) const {
  if (event == PMIX_ERR_LOST_CONNECTION) end_without_launcher();
  if (client_.job_name() != affected.nspace || affected.rank >= page_.size()) return;
  // Those of this node are watched, and this rank lives.
  local::RankSlot& slot = page_.slot(affected.rank);
  if (slot.pid.load() != 0) return;
  slot.pid_ended.store(1);
  if (page_.declare_failed(affected.rank))
    util::log(util::LogLevel::info, "the launcher says of rank %u: %s", affected.rank, PMIx_Error_string(event));
}

}  // namespace polder::bootstrap::pmix
