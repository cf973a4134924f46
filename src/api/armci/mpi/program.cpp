#include "api/armci/mpi/program.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <thread>

namespace polder::armci {
namespace {

constexpr std::size_t kMost = std::numeric_limits<int>::max();  // bytes of a message of MPI

Result<bool> begin_mpi(const MpiStart& start) {
  int initialised = 0;
  if (Status status = checked(MPI_Initialized(&initialised), "MPI_Initialized"); !status.ok()) return status;
  if (initialised != 0) return false;
  const int wanted = start.thread_level.value_or(MPI_THREAD_SINGLE);
  int granted = 0;
  Status status = checked(MPI_Init_thread(start.argc, start.argv, wanted, &granted), "MPI_Init_thread");
  if (!status.ok()) return status;
  if (granted < wanted)
    return Status(Code::unsupported,
                  "this MPI offers thread level " + std::to_string(granted) + ", wanted was " + std::to_string(wanted));
  return true;
}

// Everybody, in the order of MPI_COMM_WORLD: there is one numbering of ranks.
Status check_whole(MPI_Comm communicator) {
  int how = MPI_UNEQUAL;
  Status status = checked(MPI_Comm_compare(communicator, MPI_COMM_WORLD, &how), "MPI_Comm_compare");
  if (!status.ok() || how == MPI_IDENT || how == MPI_CONGRUENT) return status;
  return {Code::invalid_argument, "the communicator is not all ranks of MPI_COMM_WORLD in their order"};
}

Result<MPI_Comm> duplicate(MPI_Comm communicator) {
  MPI_Comm copy = MPI_COMM_NULL;
  Status status = checked(MPI_Comm_dup(communicator, &copy), "MPI_Comm_dup");
  if (!status.ok()) return status;
  return copy;
}

}  // namespace

Status checked(int error, const char* operation) {
  if (error == MPI_SUCCESS) return {};
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(error, text, &length);
  return {Code::system, std::string(operation) + ": " + std::string(text, std::size_t(length))};
}

Result<std::unique_ptr<Mpi>> join_mpi(const MpiStart& start) {
  auto begun = begin_mpi(start);
  if (!begun.ok()) return std::move(begun).status();
  MPI_Comm given = start.communicator == nullptr ? MPI_COMM_WORLD : *static_cast<const MPI_Comm*>(start.communicator);
  if (Status status = check_whole(given); !status.ok()) return status;
  auto shown = duplicate(given);
  if (!shown.ok()) return std::move(shown).status();
  auto own = duplicate(given);
  if (!own.ok()) return std::move(own).status();
  if (Status status = checked(MPI_Comm_set_errhandler(*own, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
      !status.ok())
    return status;
  return std::unique_ptr<Mpi>(new Program(*shown, *own, *begun));
}

Program::Program(MPI_Comm shown, MPI_Comm own, bool begun) : shown_(shown), own_(own), begun_(begun) {
  int rank = 0, size = 1;
  MPI_Comm_rank(own_, &rank);
  MPI_Comm_size(own_, &size);
  rank_ = Rank(rank);
  size_ = Rank(size);
}

Status Program::allgather(std::span<const std::byte> mine, std::span<std::byte> all) {
  if (mine.size() > kMost) return {Code::invalid_size, "MPI_Allgather of " + std::to_string(mine.size()) + " bytes"};
  const int bytes = int(mine.size());
  return checked(MPI_Allgather(mine.data(), bytes, MPI_BYTE, all.data(), bytes, MPI_BYTE, own_), "MPI_Allgather");
}

// Nobody sends anything that this could find; asking is what moves MPI.
void Program::progress() {
  int found = 0;
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, own_, &found, MPI_STATUS_IGNORE);
}

Status Program::send(int tag, std::span<const std::byte> message, Rank to) {
  return checked(MPI_Send(message.data(), int(message.size()), MPI_BYTE, int(to), tag, own_), "MPI_Send");
}

Result<Mpi::Received> Program::receive(int tag, std::span<std::byte> room, std::optional<Rank> from) {
  MPI_Status arrival;
  const int source = from ? int(*from) : MPI_ANY_SOURCE;
  Status status = checked(MPI_Recv(room.data(), int(room.size()), MPI_BYTE, source, tag, own_, &arrival), "MPI_Recv");
  if (!status.ok()) return status;
  int bytes = 0;
  MPI_Get_count(&arrival, MPI_BYTE, &bytes);
  return Received{Rank(arrival.MPI_SOURCE), std::size_t(bytes)};
}

void Program::end() {
  int finalised = 0;
  MPI_Finalized(&finalised);
  if (finalised != 0) return;
  MPI_Comm_free(&own_);
  MPI_Comm_free(&shown_);
  if (begun_) MPI_Finalize();
}

// MPICH's launcher ends all ranks as soon as it hears of the end of one, and what they have printed and it has not read
// yet is lost: that is mostly the sentence that says why.
void Program::abort(int code) {
  std::fflush(stdout);  // not all files: another thread may hold one that it reads from
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  MPI_Abort(MPI_COMM_WORLD, code);
  std::_Exit(code);
}

}  // namespace polder::armci
