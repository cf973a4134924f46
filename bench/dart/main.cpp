// polder run -n N bench-dart NAME: the measurement called NAME through the DART interface.
#include "common/menu.hpp"
#include "dart/measurements.hpp"

int main(int argc, char** argv) {
  using bench::DartWorld;
  static constexpr bench::MenuItem<DartWorld> kMenu[] = {
      {"door", bench::measure_dart_door, "8 bytes put, got and added to through the interface and below it; 2 units"},
  };
  const bench::Arguments arguments = bench::parse_arguments(argc, argv);
  DartWorld world;
  return bench::run_menu<DartWorld>(kMenu, world, arguments);
}
