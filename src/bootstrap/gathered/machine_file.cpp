#include "bootstrap/gathered/machine_file.hpp"

#include "util/fd.hpp"

#include <netdb.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>
#include <set>
#include <sstream>

namespace polder::bootstrap::gathered {
namespace {

std::string short_name(const std::string& host) {
  return host.substr(0, host.find('.'));
}

bool same(const std::string& one, const std::string& other) {
  return strcasecmp(one.c_str(), other.c_str()) == 0;
}

// The kernel lets nobody bind to an address of another machine.
bool is_own_address(const addrinfo& address) {
  const util::Fd socket(::socket(address.ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  return socket && bind(socket.get(), address.ai_addr, address.ai_addrlen) == 0;
}

bool resolves_to_this_machine(const std::string& host) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_DGRAM;
  addrinfo* found = nullptr;
  if (getaddrinfo(host.c_str(), nullptr, &wanted, &found) != 0) return false;
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owner(found, freeaddrinfo);
  for (; found != nullptr; found = found->ai_next)
    if (is_own_address(*found)) return true;
  return false;
}

}  // namespace

bool is_this_machine(const std::string& host) {
  char own[256] = {};
  if (gethostname(own, sizeof own - 1) == 0 && (same(host, own) || same(host, short_name(own)))) return true;
  return same(short_name(host), "localhost") || resolves_to_this_machine(host);
}

Status check_machine_file(const std::string& path, Rank size) {
  std::ifstream file(path);
  if (!file) return {Code::invalid_argument, "GASPI_MFILE=" + path + " cannot be read: " + std::strerror(errno)};
  std::set<std::string> known;
  Rank rank = 0;
  for (std::string line; rank < size && std::getline(file, line);) {
    std::string host;
    if (!(std::istringstream(line.substr(0, line.find('#'))) >> host)) continue;
    if (known.insert(host).second && !is_this_machine(host))
      return {Code::unsupported, "GASPI_MFILE=" + path + " puts rank " + std::to_string(rank) + " on " + host +
                                     ", which is not this machine; ranks of several machines need a launcher with "
                                     "PMIx: srun --mpi=pmix, mpirun (Open MPI) or prterun"};
    ++rank;
  }
  if (rank == size) return {};
  return {Code::invalid_argument, "GASPI_MFILE=" + path + " names " + std::to_string(rank) + " hosts for a job of " +
                                      std::to_string(size) + " ranks"};
}

}  // namespace polder::bootstrap::gathered
