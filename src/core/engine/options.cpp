#include "core/engine/options.hpp"

#include "bootstrap/gathered/options.hpp"
#include "device/shm/options.hpp"
#include "trace/record/options.hpp"
#include "util/platform.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <vector>

namespace polder::core {
namespace {

constexpr util::Option kDevice{"POLDER_DEVICE", "auto",
                               "device between ranks: auto (shm on one machine, mixed on several), shm, tcp, ucx, "
                               "ofi, mixed (shm within a machine, a network between)"};
constexpr util::Option kNetwork{"POLDER_NETWORK", "auto",
                                "network between machines: auto (tcp; ucx where a host has network cards that reach "
                                "into memory, or ofi if that is not installed), tcp, ucx, ofi; the same at all ranks"};
constexpr util::Option kBootstrap{"POLDER_BOOTSTRAP", "auto",
                                  "how a rank that polder run did not start finds its job: auto, local (a job of its "
                                  "own), pmix, environment (variables "
                                  "of mpiexec and of GASPI launchers, one machine)"};
constexpr util::Option kPluginPath{"POLDER_PLUGIN_PATH", "",
                                   "folders in which plug-ins (libpolder-ucx.so) are looked for first"};
constexpr util::Option kSpin{"POLDER_SPIN_US", "100", "microseconds to spin before yielding, when ranks fit the cores"};
constexpr util::Option kYield{"POLDER_YIELD_US", "1000", "microseconds to yield to other ranks before sleeping"};
constexpr util::Option kSlowYield{
    "POLDER_SLOW_YIELD_US", "2000",
    "a turn on the core that lasts longer is that of a stranger's process: sleep instead of yielding for a while"};
constexpr util::Option kSlice{"POLDER_SLICE_MS", "50",
                              "longest sleep between two looks at the state of peers, milliseconds"};
constexpr util::Option kTimeSlice{
    "POLDER_TIME_SLICE_US", "100",
    "time slice that waiting threads ask the scheduler for, so that they wake before strangers' "
    "computations: 100 to 100000 microseconds, 0 for none (Linux 6.12 and newer)"};
constexpr util::Option kOversubscribed{"POLDER_OVERSUBSCRIBED", "auto",
                                       "whether ranks outnumber cores and must not spin: auto (count them), on, off"};
constexpr util::Option kHelper{
    "POLDER_HELPER", "sleeping",
    "the thread of each rank that serves messages where peers need that: sleeping (while there "
    "are none), polling (takes a core), none (only callers make progress)"};
constexpr util::Option kOrdering{
    "POLDER_ORDERING", "unordered",
    "order of operations over a network that name none: strict (each sees those before it), "
    "partial (puts after puts), unordered (until a fence)"};
constexpr util::Option kHandoff{
    "POLDER_HANDOFF", "on",
    "whether a blocking put over a network returns once its data lies in the staging pool: on, off"};
constexpr util::Option kAnswer{"POLDER_ANSWER_MS", "1300",
                               "milliseconds in which a rank of another node that somebody has lost must answer"};
constexpr util::Option kPoolBuffers{"POLDER_POOL_BUFFERS", "64", "buffers of the staging pool of a rank"};
constexpr util::Option kPoolBufferBytes{"POLDER_POOL_BUFFER_BYTES", "64k",
                                        "bytes of each of them, and the largest put that goes by way of the pool"};

constexpr util::Option kTable[] = {kDevice,    kNetwork, kBootstrap,   kPluginPath,     kSpin,   kYield,
                                   kSlowYield, kSlice,   kTimeSlice,   kOversubscribed, kHelper, kOrdering,
                                   kHandoff,   kAnswer,  kPoolBuffers, kPoolBufferBytes};

// Those of plug-ins and doors, which are not loaded everywhere, of collectives, and those by which a launcher speaks to
// its ranks. tools/check_docs.py compares this with the sources.
constexpr std::string_view kOthers[] = {"POLDER_ARMCI_ERRORS",
                                        "POLDER_ARMCI_SPARE_KB",
                                        "POLDER_ARMCI_TOPOLOGY",
                                        "POLDER_COLL_ALLGATHER",
                                        "POLDER_COLL_ALLREDUCE",
                                        "POLDER_COLL_ALLTOALL",
                                        "POLDER_COLL_BARRIER",
                                        "POLDER_COLL_BROADCAST",
                                        "POLDER_COLL_COPIES",
                                        "POLDER_COLL_EXSCAN",
                                        "POLDER_COLL_GATHER",
                                        "POLDER_COLL_NEIGHBOURS",
                                        "POLDER_COLL_PRIVATE",
                                        "POLDER_COLL_REDUCE",
                                        "POLDER_COLL_REDUCE_SCATTER",
                                        "POLDER_COLL_SCAN",
                                        "POLDER_COLL_SCATTER",
                                        "POLDER_COLL_TABLE",
                                        "POLDER_GASPI_ERRORS",
                                        "POLDER_JOB",
                                        "POLDER_LIFELINE",
                                        "POLDER_LOCAL_RANK",
                                        "POLDER_LOG",
                                        "POLDER_OFI_DEVICES",
                                        "POLDER_OFI_PROVIDER",
                                        "POLDER_OFI_PEER_TIMEOUT_MS",
                                        "POLDER_OFI_UNGUARDED",
                                        "POLDER_PLACE",
                                        "POLDER_RANK",
                                        "POLDER_SIZE",
                                        "POLDER_SPARES",
                                        "POLDER_UCX_DEVICES",
                                        "POLDER_UCX_PEER_TIMEOUT_MS",
                                        "POLDER_TCP_CONGESTION",
                                        "POLDER_TCP_DEVICES",
                                        "POLDER_TCP_PEER_TIMEOUT_MS",
                                        "POLDER_TCP_PORTS",
                                        "POLDER_UCX_RMA",
                                        "POLDER_UCX_RMA_BYTES",
                                        "POLDER_UCX_UNGUARDED"};

bool oversubscribed(const bootstrap::Job& job) {
  return util::option_flag_or_auto(kOversubscribed).value_or(int(job.local_size) > job.cores);
}

}  // namespace

std::span<const util::Option> options() {
  return kTable;
}

void report_misspelt_options() {
  std::vector<std::string_view> known(std::begin(kOthers), std::end(kOthers));
  for (const auto table : {options(), device::shm::options(), bootstrap::gathered::options(), trace::options()})
    for (const util::Option& option : table) known.emplace_back(option.name);
  util::report_unknown(known);
}

util::WaitOptions wait_options(const bootstrap::Job& job, util::Clock clock) {
  // In virtual time a yield is a microsecond in which all others run: a few of them are as many as there are courses.
  constexpr std::int64_t kSimulatedYields_ns = 3'000;
  const bool simulated = clock.simulated() != nullptr;
  // Ranks that share a core take turns: a yield comes back after all others of the core have had theirs, which is no
  // sign of a stranger, and to yield means to see a few rounds of that.
  constexpr std::int64_t kTurn_ns = 4'000;  // of a rank that looks at a flag, and finds cold caches
  constexpr std::int64_t kRounds = 8;
  const std::int64_t round_ns = kTurn_ns * job.local_size / std::max(job.cores, 1);
  return {
      .local_rank = job.local_rank,
      .local_ranks = job.local_size,
      .node = job.node,
      .has_core = job.local_size > 1,
      .oversubscribed = oversubscribed(job),
      .spin_ns = util::option_number(kSpin) * 1000,
      .yield_ns = simulated ? kSimulatedYields_ns : std::max(util::option_number(kYield) * 1000, kRounds * round_ns),
      .slow_yield_ns = std::max(util::option_number(kSlowYield) * 1000, round_ns),
      .slice_ns = util::option_number(kSlice) * 1'000'000,
      .time_slice_ns = simulated ? 0 : util::option_number(kTimeSlice) * 1000,
      .clock = clock};
}

std::string device_option() {
  return util::option_text(kDevice);
}
std::string network_option() {
  return util::option_text(kNetwork);
}
std::string bootstrap_option() {
  return util::option_text(kBootstrap);
}
std::string plugin_path_option() {
  return util::option_text(kPluginPath);
}
Ordering ordering_option(Ordering wanted) {
  if (wanted != Ordering::inherit) return wanted;
  const std::string text = util::option_text(kOrdering);
  if (text == "strict") return Ordering::strict;
  if (text == "partial") return Ordering::partial;
  if (text != "unordered") util::report_misunderstood(kOrdering, text);
  return Ordering::unordered;
}

Helper helper_option(Helper wanted) {
  if (wanted != Helper::inherit) return wanted;
  const std::string text = util::option_text(kHelper);
  if (text == "none" || text == "off" || text == "0" || text == "no") return Helper::none;
  if (text == "polling") return Helper::polling;
  if (text != "sleeping" && text != "on" && text != "1" && text != "yes") util::report_misunderstood(kHelper, text);
  return Helper::sleeping;
}

std::int64_t answer_option_ns() {
  return std::clamp<std::int64_t>(util::option_number(kAnswer), 1, 1'000'000'000) * 1'000'000;
}

bool handoff_option(std::optional<bool> wanted) {
  return wanted.value_or(util::option_flag(kHandoff));
}
std::size_t pool_buffers_option() {
  return std::size_t(std::clamp<std::int64_t>(util::option_number(kPoolBuffers), 1, 1 << 16));
}
std::size_t pool_buffer_bytes_option() {
  return util::round_up(std::size_t(std::clamp<std::int64_t>(util::option_number(kPoolBufferBytes), 64, 1 << 26)), 64);
}

}  // namespace polder::core
