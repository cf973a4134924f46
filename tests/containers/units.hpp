// Units as threads over the simulated device.
#pragma once

#include <polder/containers/team.hpp>
#include <polder/simulate.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace polder::containers {

using namespace std::chrono_literals;

// Runs body(team) as each of `units`; an exception fails the test.
template <class Body>
void as_units(Rank units, Body&& body, SimulatedDevice device = SimulatedDevice::network) {
  Simulation simulation(units, {.device = device});
  const Status status = simulation.run([&](Runtime& rt) {
    try {
      body(Team(rt, rt.world(), 60s));
      EXPECT_TRUE(rt.world().barrier(60s).ok());
    } catch (const std::exception& error) {
      ADD_FAILURE() << "rank " << rt.rank() << ": " << error.what();
    }
  });
  ASSERT_TRUE(status.ok()) << status.to_string();
}

// The text of the Failure that `call` throws; empty if it throws none.
template <class Call>
std::string text_of_failure(Call&& call) {
  try {
    call();
  } catch (const Failure& failure) {
    return failure.what();
  }
  return "";
}

}  // namespace polder::containers
