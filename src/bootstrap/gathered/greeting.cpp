#include "bootstrap/gathered/greeting.hpp"

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

static_assert(std::is_trivially_copyable_v<Greeting>);

constexpr std::uint64_t kMagic = 0x706f6c6465724731;  // "polderG1"; a change of Greeting is a new number

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

Greeting make_greeting(Rank rank, Rank size) {
  Greeting greeting;
  std::memset(static_cast<void*>(&greeting), 0, sizeof greeting);
  greeting.magic = kMagic;
  greeting.rank = rank;
  greeting.size = size;
  greeting.random = random_word();
  greeting.process = this_process();
  greeting.node = this_node();
  if (sched_getaffinity(0, sizeof greeting.cores, &greeting.cores) != 0) CPU_ZERO(&greeting.cores);
  return greeting;
}

Status check_greetings(std::span<const Greeting> greetings) {
  for (Rank rank = 0; rank < Rank(greetings.size()); ++rank) {
    const Greeting& greeting = greetings[rank];
    if (greeting.magic != kMagic) return strangers(rank, "it uses another release of Polder");
    if (greeting.rank != rank) return strangers(rank, "it calls itself rank " + std::to_string(greeting.rank));
    if (greeting.size != greetings.size())
      return strangers(
          rank, "it knows of " + std::to_string(greeting.size) + " ranks, not " + std::to_string(greetings.size()));
  }
  return {};
}

std::vector<Rank> ranks_beside(Rank rank, std::span<const Greeting> greetings) {
  std::vector<Rank> beside;
  for (const Greeting& greeting : greetings)
    if (greeting.node == greetings[rank].node) beside.push_back(greeting.rank);
  return beside;
}

std::vector<Rank> lowest_beside(std::span<const Greeting> greetings) {
  std::vector<Rank> lowest, firsts;  // of nodes found so far
  for (const Greeting& greeting : greetings) {
    const auto known =
        std::find_if(firsts.begin(), firsts.end(), [&](Rank first) { return greetings[first].node == greeting.node; });
    lowest.push_back(known == firsts.end() ? greeting.rank : *known);
    if (known == firsts.end()) firsts.push_back(greeting.rank);
  }
  return lowest;
}

int shared_cores(std::span<const Greeting> greetings) {
  cpu_set_t all;
  CPU_ZERO(&all);
  for (const Greeting& greeting : greetings) CPU_OR(&all, &all, &greeting.cores);
  const int count = CPU_COUNT(&all);
  return count > 0 ? count : 1;
}

}  // namespace polder::bootstrap::gathered
