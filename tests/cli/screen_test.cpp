#include "live/screen.hpp"

#include "util/clock.hpp"

#include <gtest/gtest.h>

#include <unistd.h>

#include <cstdlib>
#include <string>

namespace polder::cli {
namespace {

TEST(Screen, TheFirstLineIsAsLateAsWhatItShows) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  Screen screen(ends[1], "x: ");
  RankView view;
  view.state = bootstrap::local::RankState::attached;
  // A hundred seconds after the launcher began.
  screen.show({.at_ns = util::now_ns() + 100'000'000'000, .ranks = {view}});
  close(ends[1]);
  char text[256] = "";
  const ssize_t size = read(ends[0], text, sizeof text - 1);
  close(ends[0]);
  ASSERT_GT(size, 0);
  ASSERT_EQ(std::string(text).substr(0, 3), "x: ");
  EXPECT_GE(std::atof(text + 3), 99.9) << text;
}

}  // namespace
}  // namespace polder::cli
