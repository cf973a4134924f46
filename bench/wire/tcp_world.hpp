// Two processes and one TCP connection: what the network can do with nothing but the kernel on it. The World of
// sampling.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace bench {

class TcpWorld {
 public:
  // Rank 0 listens at `place` ("host:port"), rank 1 connects. Ends the program with a message if they do not meet
  // within 30 seconds. Small segments leave at once (TCP_NODELAY), buffers are the kernel's choice: as UCX has it.
  TcpWorld(int rank, const std::string& place);
  ~TcpWorld();
  TcpWorld(const TcpWorld&) = delete;
  TcpWorld& operator=(const TcpWorld&) = delete;

  int rank() const { return rank_; }
  static int size() { return 2; }
  void barrier();
  std::uint64_t from_zero(std::uint64_t value);
  std::uint64_t largest(std::uint64_t value);

  // All `bytes`. A broken connection ends the program with a message.
  void send(const std::byte* data, std::size_t bytes);
  void receive(std::byte* data, std::size_t bytes);          // sleeps in the kernel until they are there
  void receive_polling(std::byte* data, std::size_t bytes);  // asks the kernel again and again

 private:
  void receive_with(int flags, std::byte* data, std::size_t bytes);

  int rank_;
  int socket_ = -1;
};

}  // namespace bench
