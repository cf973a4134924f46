// fft: three-dimensional transforms by many ranks.
#include "command.hpp"

#include "common/command_line.hpp"

int main(int argc, char** argv) {
  CLI::App app("Fourier transforms of three-dimensional complex fields that lie in slabs or pencils of many ranks");
  app.footer(
      "polder run -n 4 fft density.npy -o spectrum.npy\n"
      "polder run -n 4 fft spectrum.npy --inverse -o density.npy\n"
      "polder run -n 8 fft --generate 128x128x128 --cut pencils\n\n"
      "Exit code: 0 all is well, 1 an error, 2 a wrong command line, 3 the result is wrong by more than rounding.");
  fft::Options options;
  fft::add_arguments(app, options);
  if (const std::optional<int> code = apps::parse(app, argc, argv)) return *code;
  return fft::run(options);
}
