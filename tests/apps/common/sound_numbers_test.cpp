#include "common/command_line.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace {

// A program with a number of each kind, wherever CLI11 lets one be.
struct NumbersProgram {
  std::uint64_t plain = 0, made = 0, size = 0, grouped = 0, below = 0;
  std::optional<unsigned> optional;
  std::vector<std::size_t> many;
  int with_sign = 0;
  double real = 0;
  std::string text;

  int run(std::vector<std::string> words) {
    CLI::App app("numbers");
    app.add_option("FIRST", plain);
    app.add_option_function<std::uint64_t>("--made", [this](std::uint64_t value) { made = value; });
    app.add_option("--size", size)->transform(CLI::AsSizeValue(false));
    app.add_option_group("group")->add_option("--grouped", grouped);
    app.add_subcommand("below")->add_option("--below", below);
    app.add_option("--optional", optional);
    app.add_option("--many", many)->delimiter(',');
    app.add_option("--signed", with_sign);
    app.add_option("--real", real)->check(CLI::Range(0.0, 10.0));
    app.add_option("--text", text);
    words.insert(words.begin(), "numbers");
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    testing::internal::CaptureStderr();
    const int code = apps::parse(app, int(arguments.size()), arguments.data()).value_or(0);
    said = testing::internal::GetCapturedStderr();
    return code;
  }

  std::string said;
};

TEST(SoundNumbers, ThoseWithoutSignTakeNone) {
  using Words = std::vector<std::string>;
  for (const Words& words : {Words{"-5"},
                             {"--made", "-1"},
                             {"--size", "-1k"},
                             {"--grouped", "-1"},
                             {"--optional=-1"},
                             {"below", "--below", "-1"},
                             {"--many", "1,-1"},
                             {"--made", " -0"}}) {
    NumbersProgram program;
    EXPECT_EQ(program.run(words), apps::kWrongCommandLine) << words.front();
    EXPECT_NE(program.said.find("is negative"), std::string::npos) << program.said;
  }
}

TEST(SoundNumbers, NoneIsCutToTheLargest) {
  NumbersProgram program;
  EXPECT_EQ(program.run({"--made", "18446744073709551615"}), 0);
  EXPECT_EQ(program.made, UINT64_MAX);
  EXPECT_EQ(program.run({"--made", "18446744073709551616"}), apps::kWrongCommandLine);
  EXPECT_NE(program.said.find("is too large"), std::string::npos) << program.said;
}

TEST(SoundNumbers, RealOnesAreFinite) {
  for (const char* word : {"nan", "-nan", "NAN(1)", "inf", "-inf", "1e999"}) {
    NumbersProgram program;
    EXPECT_EQ(program.run({"--real", word}), apps::kWrongCommandLine) << word;
    EXPECT_NE(program.said.find("is not a finite number"), std::string::npos) << program.said;
  }
}

TEST(SoundNumbers, AllElseIsAsItWas) {
  NumbersProgram program;
  EXPECT_EQ(program.run({"7", "--size", "2k", "--many", "1,2", "--signed", "-3", "--real", "1e-3", "--text", "-nan",
                         "--optional", "4"}),
            0);
  EXPECT_EQ(program.plain, 7u);
  EXPECT_EQ(program.size, 2048u);
  EXPECT_EQ(program.many, (std::vector<std::size_t>{1, 2}));
  EXPECT_EQ(program.with_sign, -3);
  EXPECT_EQ(program.real, 1e-3);
  EXPECT_EQ(program.text, "-nan");
  EXPECT_EQ(program.optional, 4u);
  EXPECT_EQ(program.run({"--made", "x"}), apps::kWrongCommandLine);
}

TEST(SoundNumbers, PartsOfAWord) {
  unsigned number = 9;
  EXPECT_TRUE(apps::read_unsigned("12", number));
  EXPECT_EQ(number, 12u);
  EXPECT_FALSE(apps::read_unsigned("-1", number));
  EXPECT_FALSE(apps::read_unsigned("", number));
}

}  // namespace
