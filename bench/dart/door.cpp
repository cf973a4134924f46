// Each one-sided operation of 8 bytes on a neighbour's memory, through the interface as dart_X and by the C++ calls under it as
// cpp_X, in turn.
#include "common/report.hpp"
#include "common/sampling.hpp"
#include "dart/measurements.hpp"

#include <polder/handle.hpp>
#include <polder/runtime.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace bench {
namespace {

constexpr polder::SegmentId kCppSegment = 1;
constexpr polder::Timeout kCppPatience = std::chrono::seconds(60);

void ensure(const polder::Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "bench-dart: %s\n", status.to_string().c_str());
  std::_Exit(EXIT_FAILURE);
}

// Memory of 64 bytes at each unit. Collective to make and to destroy.
class DartSide {
 public:
  explicit DartSide(DartWorld& world) : world_(world) {
    world_.must("dart_team_memalloc_aligned", dart_team_memalloc_aligned(DART_TEAM_ALL, 64, DART_TYPE_BYTE, &memory_));
    there_ = memory_;
    world_.must("dart_gptr_setunit", dart_gptr_setunit(&there_, DART_TEAM_UNIT_ID(1)));
  }
  ~DartSide() {
    world_.barrier();  // nobody still uses it
    world_.must("dart_team_memfree", dart_team_memfree(memory_));
  }
  DartSide(const DartSide&) = delete;
  DartSide& operator=(const DartSide&) = delete;

  void put_blocking() { must(dart_put_blocking(there_, &value_, 1, kLong, kLong)); }
  void get_blocking() { must(dart_get_blocking(&value_, there_, 1, kLong, kLong)); }
  void put_flush() {
    must(dart_put(there_, &value_, 1, kLong, kLong));
    must(dart_flush(there_));
  }
  void put_handle() {
    dart_handle_t handle = DART_HANDLE_NULL;
    must(dart_put_handle(there_, &value_, 1, kLong, kLong, &handle));
    must(dart_wait(&handle));
  }
  void get_handle() {
    dart_handle_t handle = DART_HANDLE_NULL;
    must(dart_get_handle(&value_, there_, 1, kLong, kLong, &handle));
    must(dart_wait(&handle));
  }
  void fetch_and_add() { must(dart_fetch_and_op(there_, &value_, &old_, kLong, DART_OP_SUM)); }

 private:
  static constexpr dart_datatype_t kLong = DART_TYPE_LONGLONG;
  void must(dart_ret_t code) const { world_.must("a one-sided call", code); }

  DartWorld& world_;
  dart_gptr_t memory_{}, there_{};
  long long value_ = 1, old_ = 0;
};

// The same in the terms of C++, over a runtime beside that of the interface.
class CppSide {
 public:
  CppSide() {
    auto joined = polder::Runtime::create();
    ensure(joined.status());
    runtime_ = *std::move(joined);
    ensure(runtime_->create_segment({.size = 64, .id = kCppSegment}, runtime_->world(), kCppPatience).status());
  }

  void put_blocking() {
    ensure(runtime_->put(&value_, kThere, 8, handle_));
    ensure(handle_.wait(polder::Completion::local, kCppPatience));
  }
  void get_blocking() {
    ensure(runtime_->get(&value_, kThere, 8, handle_));
    ensure(handle_.wait(polder::Completion::local, kCppPatience));
  }
  void put_flush() {
    ensure(runtime_->put(&value_, kThere, 8));
    ensure(runtime_->fence(kThere.rank, kCppPatience));
  }
  void put_handle() {
    polder::Handle handle;
    ensure(runtime_->put(&value_, kThere, 8, handle));
    ensure(handle.wait(polder::Completion::remote, kCppPatience));
  }
  void get_handle() {
    polder::Handle handle;
    ensure(runtime_->get(&value_, kThere, 8, handle));
    ensure(handle.wait(polder::Completion::local, kCppPatience));
  }
  void fetch_and_add() { ensure(runtime_->fetch_add<std::int64_t>(kThere, 1, kCppPatience).status()); }

 private:
  static constexpr polder::GlobalAddress kThere = {1, kCppSegment, 0};

  std::unique_ptr<polder::Runtime> runtime_;
  polder::Handle handle_;
  std::int64_t value_ = 1;
};

}  // namespace

void measure_dart_door(DartWorld& world, const Arguments& arguments) {
  DartSide door(world);
  CppSide below;
  using Body = std::function<void(std::uint64_t)>;
  std::vector<std::string> names;
  std::vector<Body> bodies;
  const auto add = [&](const char* name, auto& side, auto operation) {
    names.emplace_back(name);
    bodies.emplace_back([&side, &world, operation](std::uint64_t iterations) {
      if (world.rank() != 0) return;
      for (std::uint64_t i = 0; i < iterations; ++i) (side.*operation)();
    });
  };
  add("dart_put_blocking", door, &DartSide::put_blocking);
  add("cpp_put_blocking", below, &CppSide::put_blocking);
  add("dart_get_blocking", door, &DartSide::get_blocking);
  add("cpp_get_blocking", below, &CppSide::get_blocking);
  add("dart_put_flush", door, &DartSide::put_flush);
  add("cpp_put_flush", below, &CppSide::put_flush);
  add("dart_put_handle", door, &DartSide::put_handle);
  add("cpp_put_handle", below, &CppSide::put_handle);
  add("dart_get_handle", door, &DartSide::get_handle);
  add("cpp_get_handle", below, &CppSide::get_handle);
  add("dart_fetch_and_add", door, &DartSide::fetch_and_add);
  add("cpp_fetch_and_add", below, &CppSide::fetch_and_add);
  const auto samples = sample_each_in_turn(world, arguments.plan, bodies);
  world.barrier();  // rank 0 still reaches into the others
  if (world.rank() != 0) return;
  for (std::size_t i = 0; i < names.size(); ++i)
    report({.name = names[i], .ranks = world.size(), .size = 8, .samples = samples[i]});
}

}  // namespace bench
