#include "api/armci/calls/process.hpp"
#include "api/armci/job/traced.hpp"

#include "api/armci/job/error.hpp"
#include "api/armci/symbols.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace polder::armci {

namespace {

// `polder run` and MPI count ranks apart: a program of the second that the first has started is as many jobs of one rank,
// each of which ends as if all were well. Its first rank says so for all of them.
void warn_of_jobs_of_one(const Mpi& mpi) {
  const char* const ranks = std::getenv("POLDER_SIZE");
  const char* const rank = std::getenv("POLDER_RANK");
  if (ranks == nullptr || std::atoi(ranks) < 2 || rank == nullptr || std::atoi(rank) != 0 || mpi.size() != 1) return;
  std::fprintf(
      stderr,
      "ARMCI: polder run has started %s processes, and MPI, which does not know of it, gives each a job of one "
      "rank; start the program with the mpirun of its MPI\n",
      ranks);
}

}  // namespace

Process& process() {
  static Process the_process;
  return the_process;
}

Status Process::init(const MpiStart& start) {
  if (count_ == 0)
    if (Status status = join(start); !status.ok()) return status;
  ++count_;
  return {};
}

Status Process::join(const MpiStart& start) {
  name_calls_in_traces();
  auto mpi = join_mpi(start);
  if (!mpi.ok()) return std::move(mpi).status();
  warn_of_jobs_of_one(**mpi);
  auto context = Context::begin(*std::move(mpi));
  if (!context.ok()) return std::move(context).status();
  context_ = *std::move(context);
  owner_ = getpid();
  current_context.store(context_.get(), std::memory_order_release);
  return {};
}

Status Process::finalize() {
  if (count_ == 0 || --count_ > 0) return {};
  Status status = context_->runtime().fence_all(Timeout::block());
  if (status.ok()) status = context_->barrier(*context_->world);
  std::unique_ptr<Mpi> mpi = context_->release_mpi();
  leave();
  mpi->end();
  return status;
}

void Process::leave() {
  count_ = 0;
  current_context.store(nullptr, std::memory_order_release);
  if (owner_ != getpid()) {
    (void)context_.release();
    return;
  }
  // First, or each allocation that is left would wait by itself for peers that do not answer.
  if (context_ != nullptr) context_->runtime().leave();
  context_.reset();
}

}  // namespace polder::armci

using namespace polder;
using namespace polder::armci;

extern "C" {

int PARMCI_Init(void) {
  return outcome("ARMCI_Init", process().init({}));
}
[[gnu::weak, gnu::alias("PARMCI_Init")]] decltype(PARMCI_Init) ARMCI_Init;

int PARMCI_Init_args(int* argc, char*** argv) {
  return outcome("ARMCI_Init_args", process().init({.argc = argc, .argv = argv}));
}
[[gnu::weak, gnu::alias("PARMCI_Init_args")]] decltype(PARMCI_Init_args) ARMCI_Init_args;

int PARMCI_Init_thread(int armci_requested) {
  return outcome("ARMCI_Init_thread", process().init({.thread_level = armci_requested}));
}
[[gnu::weak, gnu::alias("PARMCI_Init_thread")]] decltype(PARMCI_Init_thread) ARMCI_Init_thread;

int PARMCI_Initialized(void) {
  return process().initialised() ? 1 : 0;
}
[[gnu::weak, gnu::alias("PARMCI_Initialized")]] decltype(PARMCI_Initialized) ARMCI_Initialized;

int PARMCI_Finalize(void) {
  const TracedArmciCall traced(ArmciCall::Finalize, {});
  const Status status = process().finalize();
  return outcome("ARMCI_Finalize", status);
}
[[gnu::weak, gnu::alias("PARMCI_Finalize")]] decltype(PARMCI_Finalize) ARMCI_Finalize;

void PARMCI_Cleanup(void) {
  process().leave();
}
[[gnu::weak, gnu::alias("PARMCI_Cleanup")]] decltype(PARMCI_Cleanup) ARMCI_Cleanup;

void PARMCI_Error(const char* msg, int code) {
  Context* const context = current();
  const char* const text = msg != nullptr ? msg : "";
  if (context == nullptr) {
    std::fprintf(stderr, "ARMCI: %s (code %d)\n", text, code);
    std::exit(code != 0 ? code : EXIT_FAILURE);
  }
  std::fprintf(stderr, "ARMCI, rank %u: %s (code %d)\n", context->rank(), text, code);
  context->mpi().abort(code != 0 ? code : EXIT_FAILURE);
}
[[gnu::weak, gnu::alias("PARMCI_Error")]] decltype(PARMCI_Error) ARMCI_Error;

void parmci_msg_abort(int code) {
  PARMCI_Error("the program ends the job", code);
}
[[gnu::weak, gnu::alias("parmci_msg_abort")]] decltype(parmci_msg_abort) armci_msg_abort;

}  // extern "C"
