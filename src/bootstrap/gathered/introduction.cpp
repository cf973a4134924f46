#include "bootstrap/gathered/introduction.hpp"

#include "util/deadline.hpp"
#include "util/fd.hpp"
#include "util/random.hpp"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace polder::bootstrap::gathered {
namespace {

static_assert(std::is_trivially_copyable_v<Introduction>);

constexpr std::uint64_t kMagic = 0x706f6c6465724731;  // "polderG1"; a change of Introduction is a new number

std::uint64_t random_word() {
  std::uint64_t word = 0;
  if (getrandom(&word, sizeof word, 0) == ssize_t(sizeof word)) return word;
  return util::mix(std::uint64_t(util::now_ns()) ^ (std::uint64_t(getpid()) << 40));
}

NodeName this_node() {
  NodeName node;
  std::memset(&node, 0, sizeof node);
  if (gethostname(node.host, sizeof node.host - 1) != 0) std::strcpy(node.host, "localhost");
  const util::Fd boot(open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC));
  if (boot && read(boot.get(), node.boot, sizeof node.boot - 1) < 0) node.boot[0] = '\0';
  struct stat info {};
  if (stat("/proc/self/ns/pid", &info) == 0) node.process_numbers = info.st_ino;
  return node;
}

Status strangers(Rank rank, const std::string& why) {
  return {Code::invalid_argument, "rank " + std::to_string(rank) + " is not of this job: " + why};
}

}  // namespace

bool operator==(const NodeName& one, const NodeName& other) {
  // The texts of another process need not end.
  return std::strncmp(one.host, other.host, sizeof one.host) == 0 &&
         std::strncmp(one.boot, other.boot, sizeof one.boot) == 0 && one.process_numbers == other.process_numbers;
}

Introduction make_introduction(Rank rank, Rank size) {
  Introduction introduction;
  std::memset(static_cast<void*>(&introduction), 0, sizeof introduction);
  introduction.magic = kMagic;
  introduction.rank = rank;
  introduction.size = size;
  introduction.random = random_word();
  introduction.process = this_process();
  introduction.node = this_node();
  if (sched_getaffinity(0, sizeof introduction.cores, &introduction.cores) != 0) CPU_ZERO(&introduction.cores);
  return introduction;
}

Status check_introductions(std::span<const Introduction> introductions) {
  for (Rank rank = 0; rank < Rank(introductions.size()); ++rank) {
    const Introduction& introduction = introductions[rank];
    if (introduction.magic != kMagic) return strangers(rank, "it uses another release of Polder");
    if (introduction.rank != rank) return strangers(rank, "it calls itself rank " + std::to_string(introduction.rank));
    if (introduction.size != introductions.size())
      return strangers(rank, "it knows of " + std::to_string(introduction.size) + " ranks, not " +
                                 std::to_string(introductions.size()));
  }
  return {};
}

std::vector<Rank> ranks_beside(Rank rank, std::span<const Introduction> introductions) {
  std::vector<Rank> beside;
  for (const Introduction& introduction : introductions)
    if (introduction.node == introductions[rank].node) beside.push_back(introduction.rank);
  return beside;
}

std::vector<Rank> lowest_beside(std::span<const Introduction> introductions) {
  std::vector<Rank> lowest, firsts;  // of nodes found so far
  for (const Introduction& introduction : introductions) {
    const auto known = std::find_if(firsts.begin(), firsts.end(),
                                    [&](Rank first) { return introductions[first].node == introduction.node; });
    lowest.push_back(known == firsts.end() ? introduction.rank : *known);
    if (known == firsts.end()) firsts.push_back(introduction.rank);
  }
  return lowest;
}

int shared_cores(std::span<const Introduction> introductions) {
  cpu_set_t all;
  CPU_ZERO(&all);
  for (const Introduction& introduction : introductions) CPU_OR(&all, &all, &introduction.cores);
  const int count = CPU_COUNT(&all);
  return count > 0 ? count : 1;
}

}  // namespace polder::bootstrap::gathered
