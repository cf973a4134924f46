// The job page of a node whose ranks were started by others.
#pragma once

#include "bootstrap/gathered/introduction.hpp"
#include "bootstrap/local/job_page.hpp"

#include <polder/status.hpp>

#include <memory>
#include <span>
#include <string>

namespace polder::bootstrap::gathered {

// A page with a place for every one of `job_size` ranks (what nobody touches takes no memory), in which the processes
// of this node's, whose introductions these are, are entered. Its maker holds it open for them.
Result<std::shared_ptr<local::JobPage>> make_node_page(Rank job_size, std::uint64_t job_id,
                                                       std::span<const Introduction> node);

// Opens such a page; invalid_argument: it is of a job of another size.
Result<std::shared_ptr<local::JobPage>> open_node_page(const std::string& path, Rank job_size);
// The one that process `maker` holds as `file`.
Result<std::shared_ptr<local::JobPage>> open_node_page(pid_t maker, int file, Rank job_size);

}  // namespace polder::bootstrap::gathered
