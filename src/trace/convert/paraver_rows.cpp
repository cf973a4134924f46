#include "trace/convert/paraver_rows.hpp"

#include <algorithm>

namespace polder::trace::paraver {

namespace {

constexpr std::uint32_t kMostThreads = 65535;

std::string one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return std::uint8_t(c) < 0x20; }, ' ');
  return text;
}

std::string join(const std::vector<std::string>& words, const char* separator) {
  std::string all;
  for (const std::string& word : words) all += (all.empty() ? "" : separator) + word;
  return all;
}

}  // namespace

PrvRows::PrvRows(const Job& job)
    : threads_(job.size(), 1),
      nodes_(job.size(), 0),
      cores_(job.hosts().size(), 0),
      hosts_(job.hosts()),
      names_(job.size()) {
  for (const TraceFile& file : job.files()) {
    const Rank rank = file.rank();
    nodes_[rank] = job.host_of(file);
    cores_[nodes_[rank]] = std::max(cores_[nodes_[rank]], std::max(file.header.cores, 1u));
    for (const auto& [number, record] : file.threads) {
      if (number >= kMostThreads) continue;
      threads_[rank] = std::max(threads_[rank], number + 1);
      names_[rank].resize(threads_[rank]);
      names_[rank][number] = one_line(get_text(record.name));
    }
  }
}

std::string PrvRows::resources() const {
  std::vector<std::string> cores, tasks;
  for (const std::uint32_t count : cores_) cores.push_back(std::to_string(std::max(count, 1u)));
  for (std::size_t rank = 0; rank < threads_.size(); ++rank)
    tasks.push_back(std::to_string(threads_[rank]) + ":" + std::to_string(nodes_[rank] + 1));
  return std::to_string(cores.size()) + "(" + join(cores, ",") + "):1:" + std::to_string(tasks.size()) + "(" +
         join(tasks, ",") + ")";
}

std::string PrvRows::row_file() const {
  std::vector<std::string> cpus, nodes, tasks, threads;
  for (std::size_t node = 0; node < hosts_.size(); ++node) {
    nodes.push_back(one_line(hosts_[node]));
    for (std::uint32_t cpu = 1; cpu <= std::max(cores_[node], 1u); ++cpu)
      cpus.push_back(std::to_string(cpu) + "." + nodes.back());
  }
  for (std::size_t rank = 0; rank < threads_.size(); ++rank) {
    tasks.push_back("RANK " + std::to_string(rank));
    for (std::uint32_t thread = 0; thread < threads_[rank]; ++thread) {
      const std::string name = thread < names_[rank].size() ? names_[rank][thread] : "";
      threads.push_back("RANK " + std::to_string(rank) + "." + std::to_string(thread) + (name.empty() ? "" : " ") +
                        name);
    }
  }
  std::string text;
  const auto block = [&](const char* level, const std::vector<std::string>& names) {
    text += "LEVEL " + std::string(level) + " SIZE " + std::to_string(names.size()) + "\n" + join(names, "\n") + "\n\n";
  };
  block("CPU", cpus);
  block("NODE", nodes);
  block("TASK", tasks);
  block("THREAD", threads);
  return text;
}

}  // namespace polder::trace::paraver
