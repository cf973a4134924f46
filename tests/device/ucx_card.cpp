#include "ucx_card.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <utility>
#include <vector>

namespace polder::device::ucx {
namespace {

enum class Kind { put, get, flush };

// It is also the request that UCX would hand out.
struct Job {
  Kind kind = Kind::put;
  ucp_ep_h endpoint = nullptr;
  std::uint64_t era = 0;  // how many fences came before
  int rounds = 0;         // of progress until it takes effect
  std::byte* local = nullptr;
  std::uint64_t remote = 0;
  std::size_t bytes = 0;
  ucp_rkey_h key = nullptr;
  std::vector<std::byte> copy;  // of a put whose local memory is the caller's again
  ucp_send_nbx_callback_t callback = nullptr;
  void* user = nullptr;
  bool told = false;
};

using JobPointer = std::shared_ptr<Job>;

struct Told {
  JobPointer job;
  ucs_status_t how;
};

// The card, as all workers see it.
struct Board {
  std::recursive_mutex mutex;
  bool plugged = false;
  bool held = false;
  bool refuses = false;
  ucs_status_t how = UCS_OK;
  std::uint64_t era = 0;
  Card::Counts counts;
  std::list<JobPointer> jobs;
  std::map<void*, JobPointer> requests;  // that have not been freed
  std::map<ucp_ep_h, ucp_worker_h> worker_of;
  std::set<ucp_rkey_h> keys;
  std::map<ucp_mem_h, std::pair<std::uint64_t, std::size_t>> memories;
  std::minstd_rand random{7};
};

// Not destroyed: UCX may call at the end of the process.
Board& board() {
  static auto* const the_board = new Board;
  return *the_board;
}

template <class Function>
Function* original(Function*, const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}
#define ORIGINAL(function) (*original(&::function, #function))

bool is_registered(const Board& card, const Job& job) {
  return std::any_of(card.memories.begin(), card.memories.end(), [&](const auto& one) {
    const auto [begin, size] = one.second;
    return job.remote >= begin && job.bytes <= size && job.remote - begin <= size - job.bytes;
  });
}

void take_effect(Board& card, Job& job) {
  if (job.kind == Kind::flush) return;
  if (!is_registered(card, job) || card.keys.count(job.key) == 0) {
    ++card.counts.faults;
    return;
  }
  auto* const there = reinterpret_cast<std::byte*>(job.remote);
  if (job.kind == Kind::put)
    std::memcpy(there, job.copy.data(), job.bytes);
  else
    std::memcpy(job.local, there, job.bytes);
}

// A flush waits for all before it, anything else for what came before a fence.
bool may_run(const Board& card, const Job& job) {
  for (const JobPointer& other : card.jobs) {
    if (other.get() == &job) return true;
    if (other->endpoint == job.endpoint && (job.kind == Kind::flush || other->era < job.era)) return false;
  }
  return true;
}

// What a turn of that worker brings about. The callbacks are called by the caller, without the lock.
std::vector<Told> run(Board& card, ucp_worker_h worker) {
  std::vector<Told> told;
  if (card.held) return told;
  std::vector<JobPointer> ripe;
  for (const JobPointer& job : card.jobs) {
    if (card.worker_of[job->endpoint] != worker) continue;
    if (job->kind == Kind::put && !std::exchange(job->told, true)) {
      job->copy.assign(job->local, job->local + job->bytes);
      told.push_back({job, card.how});
    }
    if (--job->rounds <= 0 && may_run(card, *job)) ripe.push_back(job);
  }
  std::shuffle(ripe.begin(), ripe.end(), card.random);
  for (const JobPointer& job : ripe) {
    card.jobs.remove(job);
    if (card.how == UCS_OK) take_effect(card, *job);
    if (!std::exchange(job->told, true)) told.push_back({job, card.how});
  }
  card.counts.waiting = card.jobs.size();
  return told;
}

void tell(const std::vector<Told>& told) {
  for (const auto& [job, how] : told) job->callback(job.get(), how, job->user);
}

ucs_status_ptr_t begin(Board& card, Kind kind, ucp_ep_h endpoint, void* local, std::size_t bytes, std::uint64_t remote,
                       ucp_rkey_h key, const ucp_request_param_t* param) {
  auto job = std::make_shared<Job>();
  job->kind = kind;
  job->endpoint = endpoint;
  job->era = card.era;
  job->rounds = int(card.random() % 20);
  job->local = static_cast<std::byte*>(local);
  job->remote = remote;
  job->bytes = bytes;
  job->key = key;
  job->callback = param->cb.send;
  job->user = param->user_data;
  card.jobs.push_back(job);
  card.requests.emplace(job.get(), job);
  card.counts.waiting = card.jobs.size();
  return job.get();
}

}  // namespace

Card::Card() {
  Board& card = board();
  std::lock_guard lock(card.mutex);
  card.plugged = true;
  card.held = card.refuses = false;
  card.how = UCS_OK;
  card.counts = {};
}

Card::~Card() {
  Board& card = board();
  std::lock_guard lock(card.mutex);
  card.plugged = card.held = card.refuses = false;
  card.how = UCS_OK;
}

void Card::hold(bool held) {
  std::lock_guard lock(board().mutex);
  board().held = held;
}

void Card::fail(ucs_status_t how) {
  std::lock_guard lock(board().mutex);
  board().how = how;
}

void Card::refuse_memory() {
  std::lock_guard lock(board().mutex);
  board().refuses = true;
}

Card::Counts Card::counts() const {
  Board& card = board();
  std::lock_guard lock(card.mutex);
  Counts counts = card.counts;
  counts.keys = card.keys.size();
  counts.memories = card.memories.size();
  return counts;
}

}  // namespace polder::device::ucx

// ---- in the place of UCX's own ----

using namespace polder::device::ucx;

extern "C" {

ucs_status_t ucp_ep_create(ucp_worker_h worker, const ucp_ep_params_t* params, ucp_ep_h* endpoint) {
  const ucs_status_t status = ORIGINAL(ucp_ep_create)(worker, params, endpoint);
  std::lock_guard lock(board().mutex);
  if (status == UCS_OK) board().worker_of[*endpoint] = worker;
  return status;
}

ucs_status_ptr_t ucp_put_nbx(ucp_ep_h endpoint, const void* buffer, size_t bytes, uint64_t remote, ucp_rkey_h key,
                             const ucp_request_param_t* param) {
  Board& card = board();
  {
    std::lock_guard lock(card.mutex);
    if (card.plugged) {
      ++card.counts.puts;
      return begin(card, Kind::put, endpoint, const_cast<void*>(buffer), bytes, remote, key, param);
    }
  }
  return ORIGINAL(ucp_put_nbx)(endpoint, buffer, bytes, remote, key, param);
}

ucs_status_ptr_t ucp_get_nbx(ucp_ep_h endpoint, void* buffer, size_t bytes, uint64_t remote, ucp_rkey_h key,
                             const ucp_request_param_t* param) {
  Board& card = board();
  {
    std::lock_guard lock(card.mutex);
    if (card.plugged) {
      ++card.counts.gets;
      return begin(card, Kind::get, endpoint, buffer, bytes, remote, key, param);
    }
  }
  return ORIGINAL(ucp_get_nbx)(endpoint, buffer, bytes, remote, key, param);
}

ucs_status_ptr_t ucp_ep_flush_nbx(ucp_ep_h endpoint, const ucp_request_param_t* param) {
  Board& card = board();
  {
    std::lock_guard lock(card.mutex);
    const bool busy = std::any_of(card.jobs.begin(), card.jobs.end(),
                                  [&](const JobPointer& job) { return job->endpoint == endpoint; });
    if (busy) return begin(card, Kind::flush, endpoint, nullptr, 0, 0, nullptr, param);
  }
  return ORIGINAL(ucp_ep_flush_nbx)(endpoint, param);
}

ucs_status_t ucp_worker_fence(ucp_worker_h worker) {
  {
    std::lock_guard lock(board().mutex);
    ++board().era;
  }
  return ORIGINAL(ucp_worker_fence)(worker);
}

unsigned ucp_worker_progress(ucp_worker_h worker) {
  std::vector<Told> told;
  {
    std::lock_guard lock(board().mutex);
    told = run(board(), worker);
  }
  tell(told);
  return ORIGINAL(ucp_worker_progress)(worker) + unsigned(told.size());
}

ucs_status_t ucp_worker_arm(ucp_worker_h worker) {
  {
    Board& card = board();
    std::lock_guard lock(card.mutex);
    for (const JobPointer& job : card.jobs)
      if (!card.held && card.worker_of[job->endpoint] == worker) return UCS_ERR_BUSY;
  }
  return ORIGINAL(ucp_worker_arm)(worker);
}

// What is under way is dropped, as with an endpoint of UCX that is closed by force.
ucs_status_ptr_t ucp_ep_close_nbx(ucp_ep_h endpoint, const ucp_request_param_t* param) {
  std::vector<Told> told;
  {
    Board& card = board();
    std::lock_guard lock(card.mutex);
    card.jobs.remove_if([&](const JobPointer& job) {
      if (job->endpoint != endpoint) return false;
      if (!std::exchange(job->told, true)) told.push_back({job, UCS_ERR_CANCELED});
      return true;
    });
    card.counts.waiting = card.jobs.size();
  }
  tell(told);
  return ORIGINAL(ucp_ep_close_nbx)(endpoint, param);
}

void ucp_request_free(void* request) {
  {
    Board& card = board();
    std::lock_guard lock(card.mutex);
    if (card.requests.erase(request) > 0) return;
  }
  ORIGINAL(ucp_request_free)(request);
}

ucs_status_t ucp_ep_rkey_unpack(ucp_ep_h endpoint, const void* packed, ucp_rkey_h* key) {
  const ucs_status_t status = ORIGINAL(ucp_ep_rkey_unpack)(endpoint, packed, key);
  std::lock_guard lock(board().mutex);
  if (status == UCS_OK) board().keys.insert(*key);
  return status;
}

void ucp_rkey_destroy(ucp_rkey_h key) {
  {
    std::lock_guard lock(board().mutex);
    board().keys.erase(key);
  }
  ORIGINAL(ucp_rkey_destroy)(key);
}

ucs_status_t ucp_mem_map(ucp_context_h context, const ucp_mem_map_params_t* params, ucp_mem_h* memory) {
  {
    std::lock_guard lock(board().mutex);
    if (board().refuses) return UCS_ERR_NO_MEMORY;
  }
  const ucs_status_t status = ORIGINAL(ucp_mem_map)(context, params, memory);
  std::lock_guard lock(board().mutex);
  if (status == UCS_OK) board().memories[*memory] = {reinterpret_cast<std::uintptr_t>(params->address), params->length};
  return status;
}

ucs_status_t ucp_mem_unmap(ucp_context_h context, ucp_mem_h memory) {
  {
    std::lock_guard lock(board().mutex);
    board().memories.erase(memory);
  }
  return ORIGINAL(ucp_mem_unmap)(context, memory);
}

}  // extern "C"
