// A rank of a job whose ranks end themselves by SIGKILL at steps that the command line names, as RANK:TIMES:STEP; at that step, after
// so many times. Whoever lives says whether its part of the answer is right. tests/ckpt/kill_rounds starts it.
#include "ckpt/set_work.hpp"

#include <polder/runtime.hpp>

#include <charconv>
#include <csignal>
#include <cstdio>
#include <map>
#include <string>
#include <string_view>

namespace polder::test {
namespace {

struct Kill {
  Rank rank = 0;
  unsigned times = 0;
  std::string_view step;
};

bool parse(std::string_view text, Kill& kill) {
  const std::size_t first = text.find(':'), second = text.find(':', first + 1);
  if (first == text.npos || second == text.npos) return false;
  const auto number = [](std::string_view digits, unsigned& value) {
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return read.ec == std::errc() && read.ptr == digits.data() + digits.size();
  };
  kill.step = text.substr(second + 1);
  return number(text.substr(0, first), kill.rank) && number(text.substr(first + 1, second - first - 1), kill.times);
}

// Where no launcher says who was killed, this does.
void die(Rank rank, std::string_view step) {
  std::printf("rank %u ends: %.*s\n", rank, int(step.size()), step.data());
  std::fflush(stdout);
  std::raise(SIGKILL);
}

int run(const std::vector<Kill>& kills) {
  const auto joined = Runtime::create();
  if (!joined.ok()) return std::fprintf(stderr, "%s\n", joined.status().to_string().c_str()), 1;
  Runtime& rt = **joined;
  WorkingSetSpec spec;
  spec.mirrors = 2;
  std::map<std::string_view, unsigned> seen;
  spec.at_step = [&](std::string_view step) {
    const unsigned times = seen[step]++;
    for (const Kill& kill : kills)
      if (kill.rank == rt.rank() && kill.times == times && kill.step == step) die(rt.rank(), step);
  };
  WorkingSet set(rt, spec);
  SetWork work;
  Rank size = 0;
  const Status status = set.run([&](Member& me) {
    size = me.size();
    return work(me);
  });
  const auto right = answer();
  std::string outcome = "spare";
  if (!status.ok())
    outcome = status.to_string();
  else if (set.place())
    outcome = std::equal(work.numbers.begin(), work.numbers.end(),
                         right.begin() + std::ptrdiff_t(first_of(*set.place(), size)))
                  ? "right"
                  : "wrong";
  std::printf("rank %u: %s\n", rt.rank(), outcome.c_str());
  return status.ok() ? 0 : 1;
}

}  // namespace
}  // namespace polder::test

int main(int argc, char** argv) {
  std::vector<polder::test::Kill> kills(std::size_t(argc - 1));
  for (int i = 1; i < argc; ++i)
    if (!polder::test::parse(argv[i], kills[std::size_t(i - 1)])) {
      std::fprintf(stderr, "not RANK:TIMES:STEP: '%s'\n", argv[i]);
      return 2;
    }
  return polder::test::run(kills);
}
