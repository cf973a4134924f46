// How an application joins its job, tells what went wrong, and leaves.
#pragma once

#include "common/team.hpp"

#include <functional>
#include <string>

namespace apps {

struct Outcome {
  Status status;
  int code = 0;  // of the process, if the status is success; else it is 1
};

// Joins the job that this process was started in, runs `body`, prints its error as "NAME: rank 1: ..." and returns the
// exit code. Where other ranks were lost it does not return: an ordinary exit would wait for a peer that hangs.
int run_in_job(const std::string& name, double patience, const std::function<Outcome(const Team&)>& body);

// Prints an error, unless another rank tells it: "NAME: rank 1: ...".
void print_error(const std::string& name, const Status& status, unsigned rank);

// A report, or any short text, as a file.
Status write_text(const std::string& text, const std::string& path);

// Collective. Rank 0 prints the table and writes the JSON document where `path` is not empty; all succeed, or none does.
Status tell(const Team& team, const std::string& table, const std::string& json, const std::string& path);

}  // namespace apps
