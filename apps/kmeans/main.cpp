// kmeans: finds the centres of clouds of points by many ranks, of which some may die.
#include "command.hpp"

#include "common/command_line.hpp"

int main(int argc, char** argv) {
  CLI::App app("K-means: Lloyd's algorithm by many ranks, which goes on when one of them dies");
  app.footer(
      "polder run -n 4 kmeans points.npy -k 100 -o centroids.npy --labels labels.npy\n"
      "polder run -n 4 --spares 1 --keep-going kmeans --generate 1000000 -k 1000 --kill-at 20:2\n\n"
      "Exit code: 0 all is well, 1 an error, 2 a wrong command line.");
  kmeans::Command command;
  kmeans::add_arguments(app, command);
  if (const std::optional<int> code = apps::parse(app, argc, argv)) return *code;
  return kmeans::run(command);
}
