#include "bootstrap/gathered/node_page.hpp"

#include <string>

namespace polder::bootstrap::gathered {

Result<std::shared_ptr<local::JobPage>> make_node_page(Rank job_size, std::uint64_t job_id,
                                                       std::span<const Introduction> node) {
  auto page = local::JobPage::create({.size = job_size, .cores = shared_cores(node), .id = job_id});
  if (!page.ok()) return page;
  for (const Introduction& introduction : node) {
    local::RankSlot& slot = (*page)->slot(introduction.rank);
    slot.process = slot.pid = introduction.process.pid;
    slot.started = introduction.process.started;
  }
  return page;
}

Result<std::shared_ptr<local::JobPage>> open_node_page(const std::string& path, Rank job_size) {
  auto page = local::JobPage::open(path);
  if (page.ok() && (*page)->size() != job_size)
    return Status{Code::invalid_argument, "the job page of this node has places for " +
                                              std::to_string((*page)->size()) + " ranks, of a job of " +
                                              std::to_string(job_size)};
  return page;
}

Result<std::shared_ptr<local::JobPage>> open_node_page(pid_t maker, int file, Rank job_size) {
  auto page = open_node_page("/proc/" + std::to_string(maker) + "/fd/" + std::to_string(file), job_size);
  if (page.ok()) return page;
  return Status(page.status().code(), "the job page of this node, held by process " + std::to_string(maker) + ": " +
                                          std::string(page.status().message()));
}

}  // namespace polder::bootstrap::gathered
