// Whole jobs: learning from ratings, and predicting some. Every rank runs them.
#pragma once

#include "generate.hpp"
#include "report.hpp"
#include "training.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace mf {

struct TrainOptions {
  std::string input;       // a file of ratings
  bool generates = false;  // instead of that, `recipe`
  Recipe recipe;
  unsigned factors = 8;
  bool factors_requested = false;  // a model to go on from must have as many
  double held_out = 0.05;
  Training training;
  std::string resume;  // a model to go on from
  // An error of what is held out, of which there must be something; 0: of generated ratings 1.25 times the least to be expected,
  // else none.
  double target = 0;
  double patience = 600;  // seconds without a sign of life after which a peer counts as lost
  std::string json;       // where rank 0 writes the report; empty: nowhere
  bool progress = true;
  unsigned simulate = 0;  // so many ranks in virtual time, in this process; 0: the job that it was started in
};

struct PredictOptions {
  std::string model, input, output;
  double patience = 600;
};

struct Predicted {
  std::uint64_t lines = 0;
  std::uint64_t unknown = 0;  // of users or items that the model has not learned
};

// Collective. All ranks fail together; those that stopped because of another one get an error without a text.
Result<Report> train(const apps::Team& team, const TrainOptions& options, const Time& time);
// Reads lines of user and item and writes `user<tab>item<tab>prediction`, in their order. What the model does not know is
// predicted as the mean.
Result<Predicted> predict(const apps::Team& team, const PredictOptions& options);

}  // namespace mf
