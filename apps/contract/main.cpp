// contract: products of matrices and contractions of tensors by many ranks.
#include "command.hpp"

#include "common/command_line.hpp"

int main(int argc, char** argv) {
  CLI::App app("Tensor contraction: two operands in einsum's notation, block by block by many ranks");
  app.footer(
      "polder run -n 4 contract \"abcd,cdij->abij\" V.npy T.npy -o X.npy\n"
      "polder run -n 4 contract \"ik,kj->ij\" --generate i=2000,k=2000,j=2000\n\n"
      "Exit code: 0 all is well, 1 an error, 2 a wrong command line, 3 the result is wrong by more than rounding.");
  contract::Options options;
  contract::add_arguments(app, options);
  if (const std::optional<int> code = apps::parse(app, argc, argv)) return *code;
  return contract::run(options);
}
