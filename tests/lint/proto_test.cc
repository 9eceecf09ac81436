// Messages on disk hold text as `bytes`: what a serializer lets through, a parser must read back.
#include <regex>
#include <string>

#include "source_tree.h"
#include <gtest/gtest.h>

namespace logbook::lint {
namespace {

TEST(ProtoTest, TextOnDiskIsBytes) {
  static const std::regex kString(R"(\bstring [a-z_]+ = \d+;)");
  size_t files = 0;
  for (const SourceFile& file : ReadTree("proto/logbook/v1")) {
    ++files;
    std::smatch match;
    EXPECT_FALSE(std::regex_search(file.text, match, kString))
        << file.path << ": a parser refuses \"" << match.str() << "\" where it is not UTF-8";
  }
  EXPECT_GT(files, 0u);
}

}  // namespace
}  // namespace logbook::lint
