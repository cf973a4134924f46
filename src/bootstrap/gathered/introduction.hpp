// What each rank says of itself before there is a job page: the first thing that ranks started by others exchange.
#pragma once

#include "bootstrap/gathered/process.hpp"

#include <polder/status.hpp>
#include <polder/types.hpp>

#include <sched.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace polder::bootstrap::gathered {

// The part of a machine whose processes see each other. Two containers of one machine, or two hosts that a test makes
// with namespaces, are two nodes: shared memory is opened through /proc, so what counts is who is seen there.
struct NodeName {
  char host[128];
  char boot[40];                  // differs between machines, and between two starts of one
  std::uint64_t process_numbers;  // the namespace in which process numbers are counted

  friend bool operator==(const NodeName& one, const NodeName& other);
};

// Travels as bytes, between programs of the same release and the same kind of machine.
struct Introduction {
  std::uint64_t magic;
  Rank rank;
  Rank size;
  std::uint64_t random;  // that of rank 0 becomes the job's id
  ProcessId process;
  NodeName node;
  cpu_set_t cores;  // on which the process may run
};

Introduction make_introduction(Rank rank, Rank size);

// Why `introductions`, sorted by rank, are not those of one job.
Status check_introductions(std::span<const Introduction> introductions);

// The ranks on the node of `rank`, upwards.
std::vector<Rank> ranks_beside(Rank rank, std::span<const Introduction> introductions);

// For each rank the lowest one on its node.
std::vector<Rank> lowest_beside(std::span<const Introduction> introductions);

// How many cores these ranks share: those on which at least one of them may run, for launchers bind each to a core of
// its own.
int shared_cores(std::span<const Introduction> introductions);

}  // namespace polder::bootstrap::gathered
