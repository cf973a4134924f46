#include "device/ofi/network.hpp"

#include "device/ofi/options.hpp"
#include "device/wire/format/protocol.hpp"
#include "device/wire/network/named_networks.hpp"

#include <rdma/fi_errno.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace polder::device::ofi {
namespace {

// A setting of libfabric, which it reads once, where the user has made none.
class Wish {
 public:
  Wish(const char* name, const std::string& value) : name_(std::getenv(name) == nullptr ? name : nullptr) {
    if (name_ != nullptr) ::setenv(name_, value.c_str(), 1);
  }
  ~Wish() {
    if (name_ != nullptr) ::unsetenv(name_);
  }
  Wish(const Wish&) = delete;
  Wish& operator=(const Wish&) = delete;

 private:
  const char* const name_;
};

constexpr std::size_t kQueueLength = 4096;

// Better ones are higher; 0: not to be used.
int grade(const fi_info& info, const std::string& devices) {
  const std::string_view domain = info.domain_attr->name == nullptr ? "" : info.domain_attr->name;
  if (!devices.empty() && !wire::is_named(devices, domain)) return 0;
  const int family = info.addr_format == FI_SOCKADDR_IN6 ? 0 : 1;  // often one that holds on this link only
  return 1 + family + (domain == "lo" ? 0 : 2);
}

Info hints_for(const std::string& provider) {
  Info hints(fi_allocinfo());
  hints->caps = FI_MSG;
  hints->mode = FI_CONTEXT | FI_CONTEXT2;
  hints->ep_attr->type = FI_EP_RDM;
  hints->domain_attr->threading = FI_THREAD_DOMAIN;  // all calls are made under the device's lock
  hints->domain_attr->control_progress = FI_PROGRESS_MANUAL;
  hints->domain_attr->data_progress = FI_PROGRESS_MANUAL;
  hints->domain_attr->mr_mode = FI_MR_LOCAL | FI_MR_ENDPOINT;
  hints->domain_attr->av_type = FI_AV_TABLE;
  hints->fabric_attr->prov_name = ::strdup(provider.c_str());
  return hints;
}

}  // namespace

Status ofi_error(const char* operation, long code) {
  return {Code::system, std::string("ofi: ") + operation + ": " + fi_strerror(int(code < 0 ? -code : code))};
}

Result<Info> choose_network(const std::string& provider, const std::string& devices) {
  const Info hints = hints_for(provider);
  // A part of a large transfer travels like any other message: at once, and not by a meeting of both ends. Of the
  // buffers in between thousands are made, and for TCP they need not be that large.
  const Wish eager("FI_OFI_RXM_EAGER_LIMIT", std::to_string(wire::kPacketLimit + 1024));
  const Wish small("FI_OFI_RXM_BUFFER_SIZE", provider.starts_with("tcp") ? "2048" : std::to_string(wire::kPacketLimit));
  fi_info* first = nullptr;
  const int found = fi_getinfo(FI_VERSION(1, 14), nullptr, nullptr, 0, hints.get(), &first);
  const Info all(first);
  if (found != 0)
    return ofi_error(("looking for the provider '" + provider + "' (" + kProviderName + ")").c_str(), found);
  const fi_info* best = nullptr;
  for (const fi_info* one = first; one != nullptr; one = one->next)
    if (const int marks = grade(*one, devices); marks > (best == nullptr ? 0 : grade(*best, devices))) best = one;
  if (best == nullptr)
    return Status(Code::system,
                  "ofi: provider '" + provider + "' knows no network '" + devices + "' (" + kDevicesName + ")");
  if (best->ep_attr->max_msg_size < wire::kPacketLimit)
    return Status(Code::system, "ofi: provider '" + provider + "' sends " +
                                    std::to_string(best->ep_attr->max_msg_size) + " bytes at a time; " +
                                    std::to_string(wire::kPacketLimit) + " are needed");
  return Info(fi_dupinfo(best));
}

Result<Network> Network::open(Info info) {
  Network made;
  made.info = std::move(info);
  fi_info* const about = made.info.get();
  fid_fabric* fabric = nullptr;
  if (const int failed = fi_fabric(about->fabric_attr, &fabric, nullptr); failed != 0)
    return ofi_error("opening a network", failed);
  made.fabric.reset(fabric);
  fid_domain* domain = nullptr;
  if (const int failed = fi_domain(fabric, about, &domain, nullptr); failed != 0)
    return ofi_error("opening a network", failed);
  made.domain.reset(domain);
  if (Status status = made.open_queues(); !status.ok()) return status;
  if (Status status = made.open_endpoint(); !status.ok()) return status;
  return made;
}

Status Network::open_queues() {
  fi_av_attr table{};
  table.type = FI_AV_TABLE;
  fid_av* av = nullptr;
  if (const int failed = fi_av_open(domain.get(), &table, &av, nullptr); failed != 0)
    return ofi_error("making a table of peers", failed);
  peers.reset(av);
  fi_cq_attr queue{};
  queue.format = FI_CQ_FORMAT_MSG;
  queue.wait_obj = FI_WAIT_FD;
  queue.size = kQueueLength;
  fid_cq* cq = nullptr;
  if (const int failed = fi_cq_open(domain.get(), &queue, &cq, nullptr); failed != 0)
    return ofi_error("making a queue of events", failed);
  events.reset(cq);
  if (const int failed = fi_control(&cq->fid, FI_GETWAIT, &event_fd); failed != 0)
    return ofi_error("asking for the descriptor to sleep on", failed);
  return {};
}

Status Network::open_endpoint() {
  fid_ep* ep = nullptr;
  if (const int failed = fi_endpoint(domain.get(), info.get(), &ep, nullptr); failed != 0)
    return ofi_error("making an endpoint", failed);
  endpoint.reset(ep);
  int failed = fi_ep_bind(ep, &peers->fid, 0);
  if (failed == 0) failed = fi_ep_bind(ep, &events->fid, FI_TRANSMIT | FI_RECV);
  if (failed == 0) failed = fi_enable(ep);
  return failed == 0 ? Status() : ofi_error("making an endpoint", failed);
}

Result<std::vector<std::byte>> Network::name() const {
  std::vector<std::byte> bytes(256);
  std::size_t length = bytes.size();
  int failed = fi_getname(&endpoint->fid, bytes.data(), &length);
  bytes.resize(length);
  if (failed == -FI_ETOOSMALL) failed = fi_getname(&endpoint->fid, bytes.data(), &length);
  if (failed != 0) return ofi_error("asking for the address", failed);
  return bytes;
}

}  // namespace polder::device::ofi
