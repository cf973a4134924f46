// A peer that greets, speaks and leaves while this rank is inside one turn of its device.
#include "network_fixture.hpp"

#include <dlfcn.h>
#include <ucp/api/ucp.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

namespace polder::device::ucx {
namespace {

using network::NetworkRank;

// Before each look at the network this thread sleeps: what the other thread does meanwhile has come by then.
thread_local bool looks_seldom = false;

TEST(UcxFarewell, IsHeardBehindTheGreeting) {
  NetworkRank here(0, 2);
  auto other = std::make_unique<NetworkRank>(1, 2);
  ASSERT_TRUE(here && *other);
  here.stop_helper();
  other->stop_helper();
  ASSERT_TRUE(here->connect(1, (*other)->address()).ok());
  ASSERT_TRUE((*other)->connect(0, here->address()).ok());
  ASSERT_TRUE((*other)->send(0, 1, bytes_of("a word"), {}).ok());
  std::atomic<bool> gone{false};
  std::thread leaving([&] {
    other.reset();
    gone = true;
  });
  testing::internal::CaptureStderr();
  looks_seldom = true;
  while (!gone) here.poll();
  looks_seldom = false;
  leaving.join();
  here.poll();
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "") << "what confirms the farewell is for the session of who left";
  EXPECT_EQ(here.mail().size(), 1u);
  EXPECT_EQ(here.left(), std::vector<Rank>{1});
  EXPECT_EQ(here.lost(), std::vector<Rank>{}) << "it said goodbye";
}

}  // namespace
}  // namespace polder::device::ucx

// In front of UCX's own.
extern "C" unsigned ucp_worker_progress(ucp_worker_h worker) {
  static const auto original =
      reinterpret_cast<decltype(&ucp_worker_progress)>(::dlsym(RTLD_NEXT, "ucp_worker_progress"));
  if (polder::device::ucx::looks_seldom) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  return original(worker);
}
