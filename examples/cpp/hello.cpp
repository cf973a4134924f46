// Hello: every rank puts a greeting into the memory of rank 0, which takes no part in that, and prints them in order.
#include "check.hpp"

#include <polder/runtime.hpp>

using namespace std::chrono_literals;

constexpr polder::SegmentId kGreetings = 0;
constexpr polder::Timeout kPatience = 30s;  // nothing here takes so long, unless a rank is missing

struct Greeting {
  char text[120];
};

int main() {
  auto joined = take(polder::Runtime::create());
  polder::Runtime& rt = *joined;

  // Memory that all others may write: at rank 0 a greeting of each rank, elsewhere none.
  const std::size_t size = rt.rank() == 0 ? rt.size() * sizeof(Greeting) : 0;
  const polder::Segment greetings = take(rt.create_segment({.size = size, .id = kGreetings}, rt.world(), kPatience));

  // The flag goes up after the data is there, never before.
  Greeting mine{};
  std::snprintf(mine.text, sizeof mine.text, "hello from rank %u of %u on %s", rt.rank(), rt.size(), rt.host().c_str());
  check(rt.put_notify(&mine, {.rank = 0, .segment = kGreetings, .offset = rt.rank() * sizeof mine}, sizeof mine,
                      {.id = rt.rank()}));

  if (rt.rank() == 0) {
    for (polder::Rank from = 0; from < rt.size(); ++from) {
      take(rt.wait_some(kGreetings, from, 1, kPatience));
      std::puts(greetings.as<Greeting>()[from].text);
    }
  }
  check(rt.world().barrier(kPatience));  // `mine` has arrived, and nobody writes to a rank that has left
}
