#include "bootstrap/pmix/client.hpp"

#include <chrono>
#include <thread>

namespace polder::bootstrap::pmix {
namespace {

using namespace std::chrono_literals;

constexpr Timeout kFactTimeout = 10s;   // facts of the job lie in this node's memory
constexpr Timeout kAbortPatience = 5s;  // for a launcher that is to end this process

struct Found {
  pmix_status_t status;
  pmix_data_type_t type;
  std::uint32_t number;
  std::vector<std::byte> bytes;  // of a text, too
};

Found copy_of(pmix_status_t status, const pmix_value_t* value) {
  Found found{.status = status, .type = PMIX_UNDEF, .number = 0, .bytes = {}};
  if (status != PMIX_SUCCESS || value == nullptr) return found;
  found.type = value->type;
  const auto keep = [&](const void* data, std::size_t size) {
    const auto* first = static_cast<const std::byte*>(data);
    found.bytes.assign(first, first + size);
  };
  if (value->type == PMIX_UINT32) found.number = value->data.uint32;
  if (value->type == PMIX_STRING && value->data.string != nullptr)
    keep(value->data.string, std::string_view(value->data.string).size());
  if (value->type == PMIX_BYTE_OBJECT) keep(value->data.bo.bytes, value->data.bo.size);
  return found;
}

// Runs in PMIx's thread, in which nothing may wait.
void on_value(pmix_status_t status, pmix_value_t* value, void* share) {
  take_share<Found>(share)->give(copy_of(status, value));
}

struct Question {
  const pmix_proc_t& owner;
  const char* key;
  std::span<const pmix_info_t> how = {};
};

// All that the question refers to must be kept; nothing: there is no answer yet.
std::optional<Found> ask(const Question& question, const util::Deadline& deadline) {
  const auto answer = std::make_shared<Answer<Found>>();
  void* share = share_of(answer);
  const pmix_status_t status =
      PMIx_Get_nb(&question.owner, question.key, question.how.data(), question.how.size(), on_value, share);
  if (status == PMIX_SUCCESS) return answer->wait(deadline);
  take_share<Found>(share);
  return copy_of(status, nullptr);
}

void on_done(pmix_status_t status, void* share) {
  take_share<pmix_status_t>(share)->give(status);
}

bool is_missing(pmix_status_t status) {
  return status == PMIX_ERR_NOT_FOUND || status == PMIX_ERR_PROC_ENTRY_NOT_FOUND;
}

}  // namespace

Status pmix_error(const char* operation, pmix_status_t status) {
  const Code code = status == PMIX_ERR_TIMEOUT ? Code::timeout
                    : is_missing(status)       ? Code::invalid_argument
                                               : Code::system;
  return {code, std::string(operation) + ": " + PMIx_Error_string(status)};
}

Result<std::unique_ptr<Client>> Client::create() {
  pmix_proc_t me;
  PMIX_PROC_CONSTRUCT(&me);
  const pmix_status_t status = PMIx_Init(&me, nullptr, 0);
  if (status == PMIX_SUCCESS) return std::unique_ptr<Client>(new Client(me));
  return Status(Code::system, std::string("PMIx_Init: ") + PMIx_Error_string(status) +
                                  "; was this process started by a launcher with PMIx (srun --mpi=pmix, mpirun, "
                                  "prterun), and does that still run?");
}

Client::~Client() {
  if (is_ours()) PMIx_Finalize(nullptr, 0);
  if (PMIx_Initialized()) static_cast<void>(kept_.release());  // an MPI's, say: then PMIx may still look at it
}

pmix_proc_t Client::process_of(Rank rank) const {
  pmix_proc_t process = me_;
  process.rank = rank;
  return process;
}

Result<std::uint32_t> Client::job_number(const char* key) const {
  const auto found = ask({kept_->process(all_processes()), kept_->key(key)}, util::Deadline(kFactTimeout));
  const std::string what = std::string("the launcher's ") + key;
  if (!found) return Status(Code::timeout, what + " did not come");
  if (found->status != PMIX_SUCCESS) return pmix_error(what.c_str(), found->status);
  if (found->type != PMIX_UINT32) return Status(Code::system, what + " is no number of 32 bits");
  return found->number;
}

Result<std::string> Client::job_text(const char* key) const {
  return rank_text(PMIX_RANK_WILDCARD, key);
}

Result<std::string> Client::rank_text(Rank rank, const char* key) const {
  const auto found = ask({kept_->process(process_of(rank)), kept_->key(key)}, util::Deadline(kFactTimeout));
  const std::string what = std::string("the launcher's ") + key;
  if (!found) return Status(Code::timeout, what + " did not come");
  if (found->status != PMIX_SUCCESS) return pmix_error(what.c_str(), found->status);
  if (found->type != PMIX_STRING) return Status(Code::system, what + " is no text");
  return std::string(reinterpret_cast<const char*>(found->bytes.data()), found->bytes.size());
}

Status Client::put(Reach reach, const std::string& key, std::span<const std::byte> value) const {
  pmix_value_t record;
  record.type = PMIX_BYTE_OBJECT;
  record.data.bo.bytes = reinterpret_cast<char*>(const_cast<std::byte*>(value.data()));
  record.data.bo.size = value.size();
  const pmix_scope_t scope = reach == Reach::node ? PMIX_LOCAL : PMIX_GLOBAL;
  if (const pmix_status_t status = PMIx_Put(scope, key.c_str(), &record); status != PMIX_SUCCESS)
    return pmix_error(("PMIx_Put of " + key).c_str(), status);
  if (const pmix_status_t status = PMIx_Commit(); status != PMIX_SUCCESS)
    return pmix_error(("PMIx_Commit of " + key).c_str(), status);
  return {};
}

Result<std::vector<std::byte>> Client::get(Rank owner, const std::string& key, bool fresh, Timeout timeout) const {
  const util::Deadline deadline(timeout);
  const int seconds = int(deadline.left(3'600'000'000'000) / 1'000'000'000) + 1;
  const std::span how = std::span(kept_->conditions(seconds)).first(fresh ? 2 : 1);
  auto found = ask({kept_->process(process_of(owner)), kept_->key(key), how}, deadline);
  const std::string what = "record " + key + " of rank " + std::to_string(owner);
  if (!found) return Status(Code::timeout, what + " did not come in time");
  if (found->status != PMIX_SUCCESS) return pmix_error(what.c_str(), found->status);
  if (found->type != PMIX_BYTE_OBJECT) return Status(Code::system, what + " is not what a rank of Polder puts");
  return std::move(found->bytes);
}

Status Client::fence(Timeout timeout) {
  if (fence_ == nullptr) {
    const pmix_proc_t& all = kept_->process(all_processes());
    const auto answer = std::make_shared<Answer<pmix_status_t>>();
    void* share = share_of(answer);
    const pmix_status_t status = PMIx_Fence_nb(&all, 1, nullptr, 0, on_done, share);
    if (status != PMIX_SUCCESS) take_share<pmix_status_t>(share);
    if (status == PMIX_OPERATION_SUCCEEDED) return {};
    if (status != PMIX_SUCCESS) return pmix_error("PMIx_Fence", status);
    fence_ = answer;
  }
  const auto done = fence_->wait(util::Deadline(timeout));
  if (!done) return {Code::timeout, "PMIx_Fence: not all ranks of the job came; each has to make a runtime"};
  fence_.reset();
  return *done == PMIX_SUCCESS ? Status() : pmix_error("PMIx_Fence", *done);
}

// In a thread of its own, which is left behind if the launcher does not answer: this process ends anyway.
void Client::abort(int code, std::string_view reason) const {
  const auto asked = std::make_shared<Answer<bool>>();
  std::thread([asked, code, text = std::string(reason)] {
    PMIx_Abort(code, text.c_str(), nullptr, 0);
    asked->give(true);
  }).detach();
  asked->wait(util::Deadline(kAbortPatience));
}

}  // namespace polder::bootstrap::pmix
