#include "bootstrap/local/job_page.hpp"

#include "util/assert.hpp"
#include "util/cpu.hpp"
#include "util/deadline.hpp"
#include "util/random.hpp"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace polder::bootstrap::local {
namespace {

constexpr std::uint64_t kMagic = 0x706f6c6465724a42;  // "polderJB"
constexpr std::uint32_t kVersion = 5;                 // a change of any structure of the page is a new version

std::uint32_t count_in(std::uint32_t runtimes) {
  return runtimes & ~RankSlot::kOneHasFinished;
}

std::size_t slots_offset() {
  return util::round_up(sizeof(JobHeader), util::kPage);
}
std::size_t standings_offset(Rank size) {
  return slots_offset() + util::round_up(size * sizeof(RankSlot), util::kPage);
}
std::size_t stores_offset(Rank size) {
  return standings_offset(size) + util::round_up(size * sizeof(Standing), util::kPage);
}
std::size_t page_bytes(Rank size) {
  return stores_offset(size) + std::size_t(size) * sizeof(RecordStore);
}

std::uint64_t random_id() {
  std::uint64_t id = 0;
  if (getrandom(&id, sizeof id, 0) != ssize_t(sizeof id))
    id = util::mix(std::uint64_t(util::now_ns()) ^ (std::uint64_t(getpid()) << 40));
  return id;
}

void fill_in(JobHeader& header, const JobSpec& spec) {
  header.version = kVersion;
  header.size = spec.size;
  header.spares = spec.spares;
  header.cores = std::uint32_t(spec.cores > 0 ? spec.cores : util::usable_cores());
  header.id = spec.id != 0 ? spec.id : random_id();
  header.launcher = spec.launcher;
  header.news_file = spec.news_file;
  if (gethostname(header.host, sizeof header.host - 1) != 0) std::strcpy(header.host, "localhost");
  header.magic = kMagic;
}

Result<util::Fd> open_file(const std::string& path) {
  util::Fd file(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (file) return file;
  if (errno == ENOENT || errno == ESRCH || errno == ENXIO)
    return Status(Code::peer_failed,
                  "no job page at " + path + ": the launcher has ended, or runs where this process cannot see it",
                  Died::runtime);
  return util::system_error(("open of the job page " + path).c_str());
}

Status wrong_page(const std::string& path, const std::string& why) {
  return {Code::invalid_argument, path + " is no job page for this program: " + why};
}

Status check(const JobHeader& header, std::size_t file_bytes, const std::string& path) {
  if (header.magic != kMagic) return wrong_page(path, "its first bytes are those of something else");
  if (header.version != kVersion)
    return wrong_page(path, "the launcher uses layout " + std::to_string(header.version) + ", the program layout " +
                                std::to_string(kVersion) + "; use the launcher of the same release");
  if (header.size == 0 || header.size > kMaxRanks || page_bytes(header.size) != file_bytes)
    return wrong_page(path, "its size does not fit its " + std::to_string(header.size) + " ranks");
  return {};
}

}  // namespace

Result<std::shared_ptr<JobPage>> JobPage::create(const JobSpec& spec) {
  if (spec.size == 0 || spec.size > kMaxRanks)
    return Status(Code::invalid_argument,
                  "a job has 1 to " + std::to_string(kMaxRanks) + " ranks, not " + std::to_string(spec.size));
  const std::size_t bytes = page_bytes(spec.size);
  auto file = util::create_memory_file("polder-job", bytes);
  if (!file) return file.status();
  auto mapping = util::map_shared(*file, bytes);
  if (!mapping) return mapping.status();
  auto page = std::make_shared<JobPage>(*std::move(file), *std::move(mapping));
  fill_in(page->header(), spec);
  return page;
}

Result<std::shared_ptr<JobPage>> JobPage::open(const std::string& path) {
  auto file = open_file(path);
  if (!file) return file.status();
  struct stat info {};
  if (fstat(file->get(), &info) != 0) return util::system_error("fstat of the job page");
  const auto bytes = std::size_t(info.st_size);
  if (!S_ISREG(info.st_mode) || bytes < page_bytes(1)) return wrong_page(path, "it is too small");
  auto mapping = util::map_shared(*file, bytes);
  if (!mapping) return mapping.status();
  auto page = std::make_shared<JobPage>(*std::move(file), *std::move(mapping));
  if (Status status = check(page->header(), bytes, path); !status.ok()) return status;
  return page;
}

RankSlot& JobPage::slot(Rank rank) const {
  POLDER_ASSERT(rank < size());
  return reinterpret_cast<RankSlot*>(mapping_.data() + slots_offset())[rank];
}

Standing& JobPage::standing(Rank rank) const {
  POLDER_ASSERT(rank < size());
  return reinterpret_cast<Standing*>(mapping_.data() + standings_offset(size()))[rank];
}

RecordStore& JobPage::store(Rank rank) const {
  POLDER_ASSERT(rank < size());
  return reinterpret_cast<RecordStore*>(mapping_.data() + stores_offset(size()))[rank];
}

// The count is raised before the state is looked at here, and looked at after the state has changed in
// declare_finished(): of a thread that makes a runtime and one that ends the last one meanwhile, one sees the other.
Status JobPage::enter(Rank rank) const {
  slot(rank).runtimes.fetch_add(1);
  Status status = mark_attached(rank);
  if (!status.ok()) give_up(rank);
  return status;
}

Status JobPage::mark_attached(Rank rank) const {
  RankSlot& place = slot(rank);
  RankState now = place.state.load();
  do {
    if (now == RankState::failed || (now == RankState::finished && !may_return(rank)))
      return {Code::closed,
              "attach: rank " + std::to_string(rank) +
                  (now == RankState::finished ? " has left this job" : " was declared failed"),
              Died::runtime};
  } while (!place.state.compare_exchange_weak(now, RankState::attached));
  if (now == RankState::finished) header().health_changes.fetch_add(1, std::memory_order_release);
  return {};
}

// False: others are left.
bool JobPage::take_one_off(Rank rank) const {
  std::atomic<std::uint32_t>& runtimes = slot(rank).runtimes;
  return count_in(runtimes.load()) == 0 || count_in(runtimes.fetch_sub(1)) == 1;
}

bool JobPage::give_up(Rank rank) const {
  if (!take_one_off(rank)) return false;
  if ((slot(rank).runtimes.load() & RankSlot::kOneHasFinished) != 0) finish_last(rank);
  return true;
}

// Ranks that are threads have no process to come back with. One that has come back since the caller saw it gone is no
// lost one either.
bool JobPage::may_return(Rank rank) const {
  const RankSlot& place = slot(rank);
  const RankState now = place.state.load(std::memory_order_acquire);
  if (now < RankState::finished) return true;
  return now == RankState::finished && place.process.load() != 0 && place.reaped.load(std::memory_order_acquire) == 0 &&
         place.pid_ended.load(std::memory_order_acquire) == 0;
}

bool JobPage::declare_finished(Rank rank) const {
  slot(rank).runtimes.fetch_or(RankSlot::kOneHasFinished);
  return take_one_off(rank) && finish_last(rank);
}

// False: it had left before, or is back by now.
bool JobPage::finish_last(Rank rank) const {
  if (!leave(rank, RankState::finished)) return false;
  return count_in(slot(rank).runtimes.load()) == 0 || !mark_attached(rank).ok();
}

bool JobPage::leave(Rank rank, RankState how) const {
  RankSlot& place = slot(rank);
  RankState now = place.state.load(std::memory_order_relaxed);
  do {
    if (now >= RankState::finished) return false;
  } while (!place.state.compare_exchange_weak(now, how));
  // After the state: who sees the new count must find the change.
  header().health_changes.fetch_add(1, std::memory_order_release);
  place.bell.ring();
  return true;
}

bool JobPage::request_abort(Rank by, int code, std::string_view reason) const {
  AbortRequest& request = header().abort;
  std::uint32_t stage = AbortRequest::none;
  if (!request.stage.compare_exchange_strong(stage, AbortRequest::being_written)) return false;
  request.rank = by;
  request.code = code;
  request.reason_bytes = std::uint32_t(std::min(reason.size(), AbortRequest::kReasonBytes));
  std::memcpy(request.reason, reason.data(), request.reason_bytes);
  request.stage.store(AbortRequest::ready, std::memory_order_release);
  return true;
}

const AbortRequest* JobPage::abort_request() const {
  const AbortRequest& request = header().abort;
  return request.stage.load(std::memory_order_acquire) == AbortRequest::ready ? &request : nullptr;
}

}  // namespace polder::bootstrap::local
