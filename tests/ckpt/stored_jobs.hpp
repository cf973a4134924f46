// Jobs that store their epochs in a directory, one after the other.
#pragma once

#include "ckpt/epoch_files.hpp"
#include "ckpt/set_work.hpp"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <vector>

namespace polder::test {

class EpochDirectory {
 public:
  EpochDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "polder-epochs-XXXXXX").string();
    if (::mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~EpochDirectory() { std::filesystem::remove_all(path_); }
  EpochDirectory(const EpochDirectory&) = delete;
  EpochDirectory& operator=(const EpochDirectory&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// What a job came to: where it began, its block at each place, and what store() said after each epoch.
struct StoredJob {
  std::uint64_t began = ~std::uint64_t{0};
  std::vector<std::vector<std::uint64_t>> blocks;
  std::vector<Code> stored;
};

// The numbers after some steps. A job of `ranks` that goes on until step `end` and stores each epoch.
inline StoredJob run_job(
    const std::filesystem::path& directory, Rank ranks, std::uint64_t end,
    const std::function<Status(Member&)>& store = [](Member& me) { return me.store(kPatience); },
    SimulatedDevice device = SimulatedDevice::network) {
  StoredJob job;
  job.blocks.resize(ranks);
  Simulation simulation(ranks,
                        World{.device = device, .ranks = ranks, .delay_ns = 20'000, .deterministic = true}.options());
  EXPECT_TRUE(ok(simulation.run([&](Runtime& rt) {
    WorkingSet set(rt, {.spares = 0, .directory = directory.string()});
    SetWork work(end, [&](Member& me) {
      const Status status = store(me);
      if (me.place() == 0) job.stored.push_back(status.code());
      return status.code() == Code::system ? Status() : status;
    });
    EXPECT_TRUE(ok(set.run([&](Member& me) {
      Status status = work(me);
      if (me.place() == 0) job.began = work.began;
      return status;
    })));
    job.blocks[rt.rank()] = work.numbers;
  })));
  return job;
}

inline std::vector<std::uint64_t> epochs_in(const std::filesystem::path& directory) {
  const auto found = ckpt::EpochFiles(directory).epochs();
  EXPECT_TRUE(ok(found));
  return found.ok() ? *found : std::vector<std::uint64_t>();
}

inline void expect_answer(const StoredJob& job, std::uint64_t end) {
  const auto right = answer(end);
  const auto size = Rank(job.blocks.size());
  for (Rank place = 0; place < size; ++place)
    EXPECT_TRUE(std::equal(job.blocks[place].begin(), job.blocks[place].end(),
                           right.begin() + std::ptrdiff_t(first_of(place, size))));
}

}  // namespace polder::test
