// What UCX prints about an endpoint, which is all that UCX 1.13 tells about its ways ("lanes") to a peer.
#pragma once

#include <string_view>

namespace polder::device::ucx {

// Whether all of them are connections of TCP, or stay in this process.
bool only_tcp(std::string_view info);

// Whether the network reads and writes memory of that peer by itself. UCX prints the limits of its ways to put and get
// for lanes that do so themselves ("put[0]: ..."); where it would only imitate them with messages, as over TCP, there
// are no such lines.
bool reaches_memory(std::string_view info);

}  // namespace polder::device::ucx
