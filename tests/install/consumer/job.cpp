// job RANKS [far]: joins the job that a launcher started, which must have so many ranks, and hands its number round them. far:
// others must be out of reach of loads and stores. Prints "right RANK of RANKS", or what is wrong.
#include <polder/runtime.hpp>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace std::chrono_literals;

namespace {

int wrong(const char* what, const polder::Status& status) {
  std::printf("wrong: %s: %s\n", what, status.to_string().c_str());
  return 1;
}

}  // namespace

int main(int count, char** words) {
  auto joined = polder::Runtime::create({.timeout = 60s});
  if (!joined.ok()) return wrong("start", joined.status());
  polder::Runtime& rt = **joined;
  if (count < 2 || rt.size() != polder::Rank(std::atoi(words[1]))) return wrong("the number of ranks", {});
  const polder::Rank next = (rt.rank() + 1) % rt.size(), before = (rt.rank() + rt.size() - 1) % rt.size();
  auto segment = rt.create_segment({.size = 64, .id = 0}, rt.world(), 60s);
  if (!segment.ok()) return wrong("segment", segment.status());
  const std::uint64_t mine = 100 + rt.rank();
  if (polder::Status put = rt.put_notify(&mine, {next, 0, 8}, sizeof mine, {.id = 3}); !put.ok())
    return wrong("put", put);
  if (auto flag = rt.wait_some(0, 0, 8, 60s); !flag.ok()) return wrong("wait", flag.status());
  std::uint64_t got = 0;
  std::memcpy(&got, segment->data + 8, sizeof got);
  if (got != 100 + before) return wrong("the number of the rank before", {});
  auto direct = rt.direct_pointer(polder::GlobalAddress{next, 0, 0});
  if (!direct.ok()) return wrong("direct_pointer", direct.status());
  if (count > 2 && std::strcmp(words[2], "far") == 0 && *direct != nullptr) return wrong("the device", {});
  if (polder::Status met = rt.world().barrier(60s); !met.ok()) return wrong("barrier", met);
  std::printf("right %u of %u\n", rt.rank(), rt.size());
  return 0;
}
