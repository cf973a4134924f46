// Reading particles: the formats, parts of a file, and everything that can be wrong with one.
#include "particle_file.hpp"

#include "apps/common/temporary_folder.hpp"
#include "ranks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>

namespace fmm {
namespace {

using apps::read_file;
using apps::TemporaryFolder;
using apps::write_file;

class ParticleFile : public testing::Test {
 protected:
  // All particles, by number, as `ranks` ranks read them.
  std::vector<Particle> read(unsigned ranks, const std::string& bytes, FileFormat format = FileFormat::by_name) {
    write_file(path_, bytes);
    std::vector<Particle> all;
    std::mutex mutex;
    failures_.clear();
    on_ranks(ranks, [&](Team& team) {
      const auto particles = read_particles(team, path_, format);
      const std::lock_guard lock(mutex);
      if (!particles.ok()) failures_.push_back(particles.status());
      if (particles.ok()) all.insert(all.end(), particles->begin(), particles->end());
    });
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
    return all;
  }

  // Every rank fails, one says why.
  void expect_failure(const std::string& bytes, const std::string& text) {
    for (const unsigned ranks : {1u, 3u}) {
      EXPECT_TRUE(read(ranks, bytes).empty());
      EXPECT_EQ(failures_.size(), ranks);
      int speakers = 0;
      for (const Status& status : failures_) {
        if (status.message().empty()) continue;
        ++speakers;
        EXPECT_NE(status.message().find(text), std::string_view::npos) << status.message();
      }
      EXPECT_EQ(speakers, 1);
    }
  }

  TemporaryFolder folder_;
  std::string path_ = folder_ / "particles";
  std::vector<Status> failures_;
};

TEST_F(ParticleFile, TextWithCommentsAndBlanks) {
  const std::string text = "# x y z q\n1 2 3 4\n\n  5,6 , 7;8 # last\r\n\t+1e-3 -2.5E1 .5 0x\n";
  EXPECT_TRUE(read(1, text).empty());
  const std::vector<Particle> particles = read(1, "# x y z q\n1 2 3 4\n\n  5,6 , 7;8 # last\r\n\t+1e-3 -2.5E1 .5 0");
  ASSERT_EQ(particles.size(), 3u);
  EXPECT_EQ(particles[0].position, (std::array<double, 3>{1, 2, 3}));
  EXPECT_EQ(particles[1].charge, 8);
  EXPECT_EQ(particles[2].position, (std::array<double, 3>{1e-3, -25, 0.5}));
}

TEST_F(ParticleFile, AnyNumberOfRanksReadsTheSame) {
  std::string text = "# head\n";
  for (int i = 0; i < 500; ++i) {
    text += std::to_string(i * 0.37) + " " + std::to_string(i) + std::string(std::size_t(i % 7), ' ') + " -1 2\n";
    if (i % 11 == 0) text += "\n# a comment of some length in between\n";
  }
  for (const unsigned ranks : {1u, 2u, 3u, 8u}) {
    const std::vector<Particle> particles = read(ranks, text);
    ASSERT_EQ(particles.size(), 500u);
    for (std::size_t i = 0; i < 500; ++i) {
      ASSERT_EQ(particles[i].id, i);
      ASSERT_EQ(particles[i].position[1], double(i));
    }
  }
}

TEST_F(ParticleFile, EveryCutOfASmallFileIsRight) {
  for (const unsigned ranks : {2u, 5u, 8u}) {
    for (const char* text :
         {"1 1 1 1\n2 2 2 2", "1 1 1 1\n2 2 2 2\n", "\n\n1 1 1 1\n2 2 2 2", "1 1 1 1\n\n\n\n\n2 2 2 2\n"}) {
      const std::vector<Particle> particles = read(ranks, text);
      ASSERT_EQ(particles.size(), 2u) << ranks << " ranks, '" << text << "'";
      EXPECT_EQ(particles[0].charge, 1);
      EXPECT_EQ(particles[1].charge, 2);
    }
  }
}

TEST_F(ParticleFile, Binary) {
  std::vector<double> numbers;
  for (int i = 0; i < 40; ++i) numbers.push_back(i * 0.5);
  const std::string bytes(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(double));
  for (const unsigned ranks : {1u, 3u}) {
    const std::vector<Particle> particles = read(ranks, bytes, FileFormat::binary);
    ASSERT_EQ(particles.size(), 10u);
    EXPECT_EQ(particles[9].position[0], 18);
    EXPECT_EQ(particles[9].charge, 19.5);
  }
}

TEST(Format, IsFoundByName) {
  EXPECT_EQ(format_of("a.bin", FileFormat::by_name), FileFormat::binary);
  EXPECT_EQ(format_of("a.txt", FileFormat::by_name), FileFormat::text);
  EXPECT_EQ(format_of("bin", FileFormat::by_name), FileFormat::text);
  EXPECT_EQ(format_of("a.bin", FileFormat::text), FileFormat::text);
}

TEST_F(ParticleFile, WrongLinesAreNamed) {
  const std::string good = "1 2 3 4\n# c\n5 6 7 8\n";
  expect_failure(good + "1 2 x 4\n" + good, "line 4 has 'x' where a number is expected");
  expect_failure(good + "1 2 3\n" + good, "line 4 has only 3 of the four numbers");
  expect_failure(good + "1 2 3 4 5\n" + good, "line 4 has more than the four numbers");
  expect_failure(good + "1 2 3 4e\n", "line 4 has '4e'");
  expect_failure(good + "1 2 nan 4\n", "line 4 has a number that is not finite");
  expect_failure(good + "1 2 1e200 4\n", "too large");
  expect_failure(good + "1 2 1e999 4\n", "line 4 has '1e999'");
  // Not even where nothing but a comment is too long: what follows would be left out.
  expect_failure(good + "# " + std::string(3 << 20, 'c') + "\n" + good, "is longer than a million bytes");
}

TEST_F(ParticleFile, WrongBinariesAreRefused) {
  path_ = folder_ / "particles.bin";
  expect_failure(std::string(100, '\0'), "not a multiple of 32");
  expect_failure(std::string(64, '\xff'), "not finite");
}

TEST_F(ParticleFile, MissingFilesAndFolders) {
  for (const std::string& path : {folder_ / "nothing", folder_ / "."}) {
    on_ranks(2, [&](Team& team) {
      const auto particles = read_particles(team, path, FileFormat::text);
      ASSERT_FALSE(particles.ok());
      EXPECT_EQ(particles.status().message().find(path) != std::string_view::npos, team.rank() == 0);
    });
  }
}

}  // namespace
}  // namespace fmm
