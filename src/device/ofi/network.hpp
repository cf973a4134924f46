// The objects of libfabric that this device uses, from the choice of a network to an endpoint that works.
#pragma once

#include <polder/status.hpp>

#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace polder::device::ofi {

template <class Object>
struct CloseObject {
  void operator()(Object* object) const { fi_close(&object->fid); }
};
template <class Object>
using Handle = std::unique_ptr<Object, CloseObject<Object>>;

struct FreeInfo {
  void operator()(fi_info* info) const { fi_freeinfo(info); }
};
using Info = std::unique_ptr<fi_info, FreeInfo>;

// The network of `provider` to use: one of `devices` (as POLDER_OFI_DEVICES) if any are named, else preferably one that
// leads out of this host. system: there is none.
Result<Info> choose_network(const std::string& provider, const std::string& devices);

// An endpoint for messages to and from any peer, with all that it needs. Members end in reverse order.
struct Network {
  // system: libfabric cannot.
  static Result<Network> open(Info info);

  // The bytes under which others find the endpoint.
  Result<std::vector<std::byte>> name() const;
  // Whether buffers must be registered before they are sent from or received into.
  bool registers() const { return (info->domain_attr->mr_mode & FI_MR_LOCAL) != 0; }

  Info info;
  Handle<fid_fabric> fabric;
  Handle<fid_domain> domain;
  Handle<fid_av> peers;
  Handle<fid_cq> events;
  int event_fd = -1;  // readable when `events` may have something, after fi_trywait
  Handle<fid_ep> endpoint;

 private:
  Status open_queues();
  Status open_endpoint();
};

Status ofi_error(const char* operation, long code);

}  // namespace polder::device::ofi
