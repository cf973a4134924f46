// What a script that starts ranks on several hosts says in their environment.
#pragma once

#include <polder/status.hpp>
#include <polder/types.hpp>

#include <optional>
#include <string>

namespace polder::gaspi {

struct StartFile {
  Rank rank = 0;
  Rank size = 1;
  std::string first_host;  // of rank 0
  std::string port;        // where rank 0 is met
  std::string key;         // that all ranks know, and strangers do not; may be empty
};

// Of GASPI_RANK, GASPI_NRANKS, GASPI_MFILE (a host per line, line i that of rank i), GASPI_SN_PORT and GASPI_JOB_KEY.
// Nothing: the file is not there or names one host only, so that the runtime finds the ranks itself. Values without
// sense are left to the runtime, too.
std::optional<StartFile> read_start_file(unsigned port);

}  // namespace polder::gaspi
