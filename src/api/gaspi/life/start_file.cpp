#include "api/gaspi/life/start_file.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string_view>
#include <vector>

namespace polder::gaspi {
namespace {

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

std::optional<Rank> number(const char* name) {
  const std::string text = variable(name);
  Rank value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole ? std::optional(value) : std::nullopt;
}

std::vector<std::string> read_hosts(const std::string& path, Rank size) {
  std::vector<std::string> hosts;
  std::ifstream file(path);
  for (std::string line; hosts.size() < size && std::getline(file, line);) {
    std::string host;
    if (std::istringstream(line.substr(0, line.find('#'))) >> host) hosts.push_back(host);
  }
  return hosts;
}

}  // namespace

std::optional<StartFile> read_start_file(unsigned port) {
  const auto rank = number("GASPI_RANK");
  const auto size = number("GASPI_NRANKS");
  if (!rank || !size || *rank >= *size) return std::nullopt;
  const std::vector<std::string> hosts = read_hosts(variable("GASPI_MFILE"), *size);
  if (hosts.size() < *size || std::ranges::count(hosts, hosts.front()) == std::ptrdiff_t(hosts.size()))
    return std::nullopt;
  const std::string own_port = variable("GASPI_SN_PORT");
  return StartFile{*rank, *size, hosts.front(), own_port.empty() ? std::to_string(port) : own_port,
                   variable("GASPI_JOB_KEY")};
}

}  // namespace polder::gaspi
