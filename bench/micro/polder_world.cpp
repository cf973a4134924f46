#include "micro/polder_world.hpp"

#include <cstdlib>
#include <span>
#include <string>

namespace bench {

std::vector<std::uint64_t> PolderWorld::of_all(std::uint64_t mine) {
  std::vector<std::uint64_t> all(runtime_.size());
  must("allgather", runtime_.world().allgather(std::as_bytes(std::span(&mine, 1)),
                                               std::as_writable_bytes(std::span(all)), kPatience));
  return all;
}

void PolderWorld::fail(const char* operation, const polder::Status& status) {
  std::string reason = "bench-micro: rank ";
  reason.append(std::to_string(rank())).append(": ").append(operation).append(": ").append(status.to_string());
  runtime_.abort(1, reason);
  std::abort();  // a job of one rank has no launcher that ends it
}

}  // namespace bench
