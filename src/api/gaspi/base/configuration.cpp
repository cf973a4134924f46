#include "api/gaspi/base/configuration.hpp"

#include "api/gaspi/base/error.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <limits>

namespace polder::gaspi {
namespace {

struct Range {
  const char* field;
  unsigned long value;
  unsigned long least;
  unsigned long most;
};

bool is_mtu(unsigned value) {
  constexpr unsigned kKnown[] = {0, 256, 512, 1024, 2048, 4096};
  return std::ranges::find(kKnown, value) != std::end(kKnown);
}

gaspi_return_t refuse_field(const Range& range) {
  char text[160];
  std::snprintf(text, sizeof text, "%s must lie between %lu and %lu", range.field, range.least, range.most);
  return refuse(GASPI_ERR_CONFIG, "gaspi_config_set", text, range.value);
}

template <class Number>
Number limit(Number asked, Number usual) {
  return asked == usual ? std::numeric_limits<Number>::max() : asked;
}

// What a program in C has stored there, which may be any number: C++ does not allow to load one without a name.
template <class Enumeration>
unsigned number_in(const Enumeration& place) {
  unsigned number = 0;
  static_assert(sizeof number == sizeof place);
  std::memcpy(&number, &place, sizeof number);
  return number;
}

}  // namespace

gaspi_config_t default_configuration() {
  gaspi_config_t config{};
  config.logger = 1;
  config.sn_port = 12121;
  config.sn_persistent = 1;
  config.sn_timeout = 30000;
  config.dev_config.network_type = GASPI_SHARED_MEMORY;
  config.dev_config.params.ib.netdev_id = -1;
  config.dev_config.params.ib.port_check = 1;
  config.dev_config.params.tcp.port = 19000;
  config.network = GASPI_SHARED_MEMORY;
  config.queue_size_max = 1024;
  config.queue_num = 8;
  config.group_max = 32;
  config.segment_max = 255;
  config.transfer_size_max = 1ul << 30;
  config.notification_num = 65536;
  config.passive_queue_size_max = 1024;
  config.passive_transfer_size_max = 65535;
  config.allreduce_buf_size = 2040;
  config.allreduce_elem_max = 255;
  config.rw_list_elem_max = 255;
  config.build_infrastructure = GASPI_TOPOLOGY_STATIC;
  return config;
}

Limits::Limits(const gaspi_config_t& config) {
  const gaspi_config_t usual = default_configuration();
  transfer_size = limit(config.transfer_size_max, usual.transfer_size_max);
  allreduce_elements = limit(config.allreduce_elem_max, usual.allreduce_elem_max);
}

gaspi_return_t check(const gaspi_config_t& config) {
  const auto& device = config.dev_config;
  const Range ranges[] = {
      {"sn_port", config.sn_port, 1, 65535},
      {"net_info", config.net_info, 0, 1},
      {"user_net", config.user_net, 0, 1},
      {"network", number_in(config.network), GASPI_IB, GASPI_SHARED_MEMORY},
      {"dev_config.network_type", number_in(device.network_type), GASPI_IB, GASPI_SHARED_MEMORY},
      {"dev_config.params.ib.port_check", device.params.ib.port_check, 0, 1},
      {"dev_config.params.tcp.port", device.params.tcp.port, 0, 65535},
      {"queue_size_max", config.queue_size_max, 1, 65536},
      {"queue_num", config.queue_num, 1, kMaxQueues},
      {"group_max", config.group_max, 1, kMaxGroups},
      {"segment_max", config.segment_max, 1, kMaxSegments},
      {"transfer_size_max", config.transfer_size_max, 1, 1ul << 40},
      {"notification_num", config.notification_num, 0, 1u << 20},
      {"passive_queue_size_max", config.passive_queue_size_max, 1, 65536},
      {"passive_transfer_size_max", config.passive_transfer_size_max, 1, 1u << 30},
      {"allreduce_buf_size", config.allreduce_buf_size, 1, 1ul << 20},
      {"allreduce_elem_max", config.allreduce_elem_max, 1, std::numeric_limits<gaspi_number_t>::max()},
      {"rw_list_elem_max", config.rw_list_elem_max, 1, kMaxListElements},
      {"build_infrastructure", number_in(config.build_infrastructure), GASPI_TOPOLOGY_NONE, GASPI_TOPOLOGY_DYNAMIC},
  };
  for (const Range& range : ranges) {
    if (range.value < range.least || range.value > range.most) return refuse_field(range);
  }
  if (!is_mtu(device.params.ib.mtu)) {
    return refuse(GASPI_ERR_CONFIG, "gaspi_config_set",
                  "dev_config.params.ib.mtu must be 0, 256, 512, 1024, 2048 or 4096", device.params.ib.mtu);
  }
  return GASPI_SUCCESS;
}

}  // namespace polder::gaspi
