// What TCP does between two hosts: the numbers that a network device over TCP is held against.
#pragma once

#include "common/arguments.hpp"
#include "wire/tcp_world.hpp"

namespace bench {

// There and back, one way: tcp_ping_pong sleeps until the answer is there, tcp_ping_pong_polling asks for it.
void measure_ping_pong(TcpWorld& world, const Arguments& arguments);

// Messages back to back from rank 0; the last one is confirmed. tcp_stream and tcp_stream_polling, as above.
void measure_stream(TcpWorld& world, const Arguments& arguments);

}  // namespace bench
