// Any bytes as what ranks say of themselves before there is a job: refused, or a job whose nodes add up.
#include "bootstrap/gathered/introduction.hpp"
#include "bootstrap/gathered/verdict.hpp"

#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

using namespace polder;
using namespace polder::bootstrap::gathered;

void require(bool holds) {
  if (!holds) std::abort();
}

template <class T>
std::vector<T> all_of(const std::uint8_t* data, std::size_t size) {
  std::vector<T> all(size / sizeof(T));
  if (!all.empty()) std::memcpy(static_cast<void*>(all.data()), data, all.size() * sizeof(T));
  return all;
}

void check(const std::vector<Introduction>& introductions) {
  require(shared_cores(introductions) >= 1);
  if (!check_introductions(introductions).ok()) return;
  const std::vector<Rank> lowest = lowest_beside(introductions);
  require(lowest.size() == introductions.size());
  for (Rank rank = 0; rank < Rank(introductions.size()); ++rank) {
    const std::vector<Rank> beside = ranks_beside(rank, introductions);
    require(!beside.empty() && beside.front() == lowest[rank]);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<Introduction> introductions = all_of<Introduction>(data, size);
  check(introductions);
  // As the fuzzer would hardly find them: of this release, and each of its rank.
  const Introduction right = make_introduction(0, Rank(introductions.size()));
  for (Rank rank = 0; rank < Rank(introductions.size()); ++rank) {
    introductions[rank].magic = right.magic;
    introductions[rank].rank = rank;
    introductions[rank].size = right.size;
  }
  check(introductions);
  const std::vector<Verdict> verdicts = all_of<Verdict>(data, size);
  const Status status = first_failure(verdicts, [](const Verdict& each) -> const Verdict& { return each; });
  require(status.ok() || (status.code() <= Code::owner_died && !status.to_string().empty()));
  return 0;
}
