// In the style of C++ libraries above GASPI: the C header inside a namespace, resources as objects, errors as
// exceptions, typed memory and typed reductions. Checked results: a ring of typed messages, a reduction, a group of
// every other rank, and a passive counter.
#include <cstddef>
#include <cstdlib>
#include <iostream>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

namespace layer {
namespace c {
#include <GASPI.h>
#include <GASPI_Ext.h>
}  // namespace c

class Error : public std::runtime_error {
 public:
  Error(const char* call, c::gaspi_return_t code)
      : std::runtime_error(std::string(call) + ": " + c::gaspi_error_str(code) + "; " + c::gaspi_error_detail()) {}
};

constexpr c::gaspi_timeout_t kPatience = 30000;

inline void ensure(c::gaspi_return_t code, const char* call) {
  if (code != c::GASPI_SUCCESS) throw Error(call, code);
}
#define ENSURE(call) ::layer::ensure((c::call), #call)

class Session {
 public:
  Session() {
    ENSURE(gaspi_proc_init(c::GASPI_BLOCK));
    ENSURE(gaspi_proc_rank(&rank_));
    ENSURE(gaspi_proc_num(&size_));
  }
  ~Session() { c::gaspi_proc_term(c::GASPI_BLOCK); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  c::gaspi_rank_t rank() const { return rank_; }
  c::gaspi_rank_t size() const { return size_; }

 private:
  c::gaspi_rank_t rank_ = 0;
  c::gaspi_rank_t size_ = 0;
};

class Group {
 public:
  explicit Group(const std::vector<c::gaspi_rank_t>& ranks) {
    ENSURE(gaspi_group_create(&id_));
    for (const auto rank : ranks) ENSURE(gaspi_group_add(id_, rank));
    ENSURE(gaspi_group_commit(id_, c::GASPI_BLOCK));
  }
  ~Group() { c::gaspi_group_delete(id_); }
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;
  c::gaspi_group_t id() const { return id_; }

 private:
  c::gaspi_group_t id_ = 0;
};

template <class T>
class Segment {
 public:
  explicit Segment(std::size_t elements, c::gaspi_group_t group = c::GASPI_GROUP_ALL) : elements_(elements) {
    ENSURE(gaspi_segment_avail_local(&id_));
    ENSURE(gaspi_segment_create(id_, elements * sizeof(T), group, c::GASPI_BLOCK, c::GASPI_MEM_INITIALIZED));
    c::gaspi_pointer_t pointer = nullptr;
    ENSURE(gaspi_segment_ptr(id_, &pointer));
    data_ = static_cast<T*>(pointer);
  }
  ~Segment() { c::gaspi_segment_delete(id_); }
  Segment(const Segment&) = delete;
  Segment& operator=(const Segment&) = delete;

  T& operator[](std::size_t i) { return data_[i]; }
  T* begin() { return data_; }
  T* end() { return data_ + elements_; }
  c::gaspi_segment_id_t id() const { return id_; }
  static c::gaspi_offset_t offset(std::size_t i) { return i * sizeof(T); }

 private:
  c::gaspi_segment_id_t id_ = 0;
  std::size_t elements_;
  T* data_ = nullptr;
};

class Queue {
 public:
  Queue() { ENSURE(gaspi_queue_create(&id_, kPatience)); }
  ~Queue() { c::gaspi_queue_delete(id_); }
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  // Posts; waits for the queue where it is full.
  template <class Operation>
  void post(Operation&& operation) {
    c::gaspi_return_t code;
    while ((code = operation(id_)) == c::GASPI_QUEUE_FULL) flush();
    ensure(code, "a posted operation");
  }
  void flush() { ENSURE(gaspi_wait(id_, kPatience)); }

 private:
  c::gaspi_queue_id_t id_ = 0;
};

inline c::gaspi_notification_t await(c::gaspi_segment_id_t segment, c::gaspi_notification_id_t id) {
  c::gaspi_notification_id_t first = 0;
  c::gaspi_notification_t value = 0;
  ENSURE(gaspi_notify_waitsome(segment, id, 1, &first, kPatience));
  ENSURE(gaspi_notify_reset(segment, first, &value));
  return value;
}

template <class T>
constexpr c::gaspi_datatype_t kType;
template <>
constexpr c::gaspi_datatype_t kType<int> = c::GASPI_TYPE_INT;
template <>
constexpr c::gaspi_datatype_t kType<double> = c::GASPI_TYPE_DOUBLE;
template <>
constexpr c::gaspi_datatype_t kType<unsigned long> = c::GASPI_TYPE_ULONG;

template <class T>
T sum_of_all(T mine, c::gaspi_group_t group) {
  T sum{};
  ENSURE(gaspi_allreduce(&mine, &sum, 1, c::GASPI_OP_SUM, kType<T>, group, kPatience));
  return sum;
}

inline void barrier(c::gaspi_group_t group) {
  ENSURE(gaspi_barrier(group, kPatience));
}

}  // namespace layer

namespace {

using namespace layer;

void expect(bool truth, const char* what) {
  if (!truth) throw std::runtime_error(std::string("failed: ") + what);
}

struct Particle {
  double position[3];
  int owner;
};

// Each sends `kParticles` to its right-hand neighbour, one by one through a queue of its own.
void ring(const Session& session) {
  constexpr std::size_t kParticles = 2000;
  Segment<Particle> out(kParticles);
  Segment<Particle> in(kParticles);
  Queue queue;
  const auto right = c::gaspi_rank_t((session.rank() + 1) % session.size());
  const int left = (session.rank() + session.size() - 1) % session.size();
  for (std::size_t i = 0; i < kParticles; ++i) out[i] = {{double(i), 0, -double(i)}, session.rank()};
  for (std::size_t i = 0; i < kParticles; ++i) {
    queue.post([&](c::gaspi_queue_id_t id) {
      return c::gaspi_write(out.id(), out.offset(i), right, in.id(), in.offset(i), sizeof(Particle), id, kPatience);
    });
  }
  queue.post([&](c::gaspi_queue_id_t id) { return c::gaspi_notify(in.id(), right, 0, 1, id, kPatience); });
  expect(await(in.id(), 0) == 1, "the flag of the left-hand neighbour");
  std::size_t i = 0;
  for (const Particle& particle : in) {
    expect(particle.owner == left && particle.position[2] == -double(i), "the left-hand neighbour's particles");
    ++i;
  }
  queue.flush();
  layer::barrier(c::GASPI_GROUP_ALL);
}

void subgroup(const Session& session) {
  std::vector<c::gaspi_rank_t> same;
  for (unsigned rank = session.rank() % 2; rank < session.size(); rank += 2) same.push_back(c::gaspi_rank_t(rank));
  const Group group(same);
  const unsigned long expected = std::accumulate(same.begin(), same.end(), 0ul);
  expect(sum_of_all<unsigned long>(session.rank(), group.id()) == expected, "the sum over half of the ranks");
  Segment<int> shared(16, group.id());
  for (const auto rank : same) {
    shared[0] = session.rank();
    ensure(c::gaspi_write(shared.id(), 0, rank, shared.id(), 8, 4, 0, kPatience), "gaspi_write");
  }
  ensure(c::gaspi_wait(0, kPatience), "gaspi_wait");
  layer::barrier(group.id());
}

void reductions(const Session& session) {
  const int n = session.size();
  expect(sum_of_all<int>(1, c::GASPI_GROUP_ALL) == n, "the number of ranks");
  expect(sum_of_all<double>(0.5, c::GASPI_GROUP_ALL) == 0.5 * n, "half the number of ranks");
}

}  // namespace

int main() {
  try {
    const Session session;
    ring(session);
    subgroup(session);
    reductions(session);
    layer::barrier(c::GASPI_GROUP_ALL);
  } catch (const std::exception& problem) {
    std::cerr << problem.what() << '\n';
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
