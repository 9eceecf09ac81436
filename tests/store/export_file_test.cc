// What the reader of exports takes, and all that it does not.
#include <map>
#include <string>
#include <vector>

#include "store_fixture.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "logbook/store/export_reader.h"
#include "logbook/store/export_writer.h"
#include "logbook/store/key_codec.h"
#include "logbook/support/seed.h"

namespace logbook::store {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string FirstLine() {
  return Concat(kExportMagic, kExportVersion, "\n");
}

// Exports of a few events, made frame by frame.
class ExportFileTest : public StoreTest {
 protected:
  ExportHeader Header(uint64_t last) const {
    return {.uuid = "uuid",
            .identity = {.cluster_uid = "cluster-1", .operator_name = "simpleapp"},
            .first = EventSeq(1),
            .last = EventSeq(last),
            .version = "0.1.0",
            .store_format = "1.0"};
  }

  std::vector<std::string> Records(uint64_t last) {
    std::vector<std::string> records;
    for (uint64_t seq = 1; seq <= last; ++seq) {
      records.push_back(RecordCodec().Encode(ObservedEvent(EventSeq(seq), RunId(1)), chain_));
    }
    return records;
  }

  // Of three events.
  std::string Export() {
    const std::string path = temp_ / "export";
    auto writer = ExportWriter::Create(path, Header(3));
    EXPECT_OK(writer);
    EXPECT_OK((*writer)->AddRow(FrameType::kDictionary,
                                StreamRowKey(kMetaDictionaryPrefix, StreamId(1)), "row"));
    for (const std::string& record : Records(3)) {
      EXPECT_OK((*writer)->AddRecord(FrameType::kRecord, record));
    }
    EXPECT_OK((*writer)->Finish(chain_));
    return ReadBytes(path);
  }

  // `frames` behind the first line, and a footer that fits what is there but for what `change`
  // does.
  static std::string Assemble(
      const std::vector<std::pair<FrameType, std::string>>& frames, const Chain& chain,
      const std::function<void(ExportFooter&)>& change = [](ExportFooter&) {}) {
    std::string bytes = FirstLine();
    ExportFooter footer{.chain = chain};
    for (const auto& [type, payload] : frames) {
      AppendFrame(type, payload, bytes);
      if (uint64_t* count = footer.CountOf(type); count != nullptr) {
        ++*count;
      }
    }
    footer.sha256 = Sha256().Digest({bytes});
    change(footer);
    AppendFrame(FrameType::kFooter, EncodeExportFooter(footer), bytes);
    return bytes;
  }

  std::vector<std::pair<FrameType, std::string>> Frames(uint64_t last) {
    std::vector<std::pair<FrameType, std::string>> frames = {
        {FrameType::kHeader, EncodeExportHeader(Header(last))}};
    for (std::string& record : Records(last)) {
      frames.emplace_back(FrameType::kRecord, std::move(record));
    }
    return frames;
  }

  // Reads all of it.
  static absl::Status Read(const std::string& bytes) {
    size_t used = 0;
    const auto source = [&](char* to, size_t size) -> absl::StatusOr<size_t> {
      const size_t read = bytes.copy(to, size, used);
      used += read;
      return read;
    };
    LOGBOOK_ASSIGN_OR_RETURN(const auto reader, ExportReader::Read("the-file", source));
    while (true) {
      LOGBOOK_ASSIGN_OR_RETURN(const auto part, reader->Next());
      if (!part.has_value()) {
        return absl::OkStatus();
      }
    }
  }

  static void ExpectDamaged(const std::string& bytes, const std::string& what) {
    EXPECT_THAT(Read(bytes),
                StatusIs(absl::StatusCode::kDataLoss,
                         AllOf(HasSubstr("the-file is damaged at byte "), HasSubstr(what))));
  }

  Chain chain_ = {};
};

TEST_F(ExportFileTest, WhatIsWrittenIsReadAgain) {
  EXPECT_OK(Read(Export()));
  const auto reader = ExportReader::Open(temp_ / "export");
  ASSERT_OK(reader);
  EXPECT_EQ((*reader)->header(), Header(3));
  const auto part = (*reader)->Next();
  ASSERT_OK(part);
  EXPECT_EQ((*part)->type, FrameType::kDictionary);
  EXPECT_EQ((*part)->row.value, "row");
}

TEST_F(ExportFileTest, EveryBitThatIsFlippedIsFound) {
  const std::string bytes = Export();
  for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    std::string flipped = bytes;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
    const absl::Status status = Read(flipped);
    ASSERT_TRUE(absl::IsDataLoss(status) || absl::IsFailedPrecondition(status))
        << "bit " << bit << ": " << status;
    ASSERT_THAT(ToStd(status.message()), HasSubstr("the-file")) << "bit " << bit;
  }
}

TEST_F(ExportFileTest, EveryByteThatIsCutOffIsFound) {
  const std::string bytes = Export();
  for (size_t size = FirstLine().size(); size < bytes.size(); ++size) {
    ASSERT_THAT(Read(bytes.substr(0, size)),
                StatusIs(absl::StatusCode::kDataLoss,
                         HasSubstr(Concat("the-file ends at byte ", size, ", before its footer"))));
  }
}

TEST_F(ExportFileTest, OtherFilesAndVersionsAreRefused) {
  for (const std::string& bytes : {std::string(), std::string("LOGBOOK"), std::string(100, 'x')}) {
    EXPECT_THAT(Read(bytes),
                StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("is no export")));
  }
  const std::string bytes = Export();
  for (const std::string version : {"1.1", "2.0", "10.10", "1.0.0"}) {
    EXPECT_THAT(Read(Concat(kExportMagic, version, "\n", bytes.substr(FirstLine().size()))),
                StatusIs(absl::StatusCode::kFailedPrecondition,
                         AllOf(HasSubstr(Concat("version \"", version, "\"")),
                               HasSubstr("this build reads 1.0"))));
  }
}

TEST_F(ExportFileTest, FramesThatAreTooLargeAreRefusedUnread) {
  std::string bytes = Assemble(Frames(1), chain_);
  bytes[FirstLine().size() + 3] = '\x7f';
  ExpectDamaged(bytes, "more than 67108864");
}

TEST_F(ExportFileTest, FramesInAnotherOrderAreRefused) {
  auto frames = Frames(2);
  frames.emplace_back(FrameType::kBase, EncodeExportRow("b", ""));
  ExpectDamaged(Assemble(frames, chain_), "out of order");
  ExpectDamaged(Assemble({{FrameType::kRecord, "x"}}, chain_), "does not begin with a header");
  chain_ = {};
  frames = Frames(1);
  frames.emplace_back(static_cast<FrameType>(99), "");
  ExpectDamaged(Assemble(frames, chain_), "unknown type 99");
}

TEST_F(ExportFileTest, RecordsThatDoNotFollowOneAnotherAreRefused) {
  auto frames = Frames(3);
  std::swap(frames[2], frames[3]);
  ExpectDamaged(Assemble(frames, chain_), "event 3 behind event 1");
  chain_ = {};
  frames = Frames(2);
  frames[2].second.back() ^= 1;  // with a checksum that fits
  ExpectDamaged(Assemble(frames, chain_), "event 2 does not follow");
  chain_ = {};
  frames = Frames(3);
  frames.pop_back();
  ExpectDamaged(Assemble(frames, chain_), "the footer counts");
}

TEST_F(ExportFileTest, WrongCountsAndDigestsAreRefused) {
  using Change = std::function<void(ExportFooter&)>;
  const std::vector<Change> counts = {[](ExportFooter& footer) { ++footer.events; },
                                      [](ExportFooter& footer) { ++footer.kept; },
                                      [](ExportFooter& footer) { ++footer.names; },
                                      [](ExportFooter& footer) { ++footer.base_rows; },
                                      [](ExportFooter& footer) { ++footer.dictionaries; },
                                      [](ExportFooter& footer) { ++footer.chain[0]; }};
  for (const Change& change : counts) {
    chain_ = {};
    const auto frames = Frames(2);
    EXPECT_OK(Read(Assemble(frames, chain_)));
    ExpectDamaged(Assemble(frames, chain_, change), "the footer counts");
  }
  chain_ = {};
  const auto frames = Frames(2);
  ExpectDamaged(Assemble(frames, chain_, [](ExportFooter& footer) { ++footer.sha256[5]; }),
                "SHA-256");
  ExpectDamaged(Assemble(frames, chain_) + "x", "follows its footer");
}

TEST_F(ExportFileTest, HeadersThatMakeNoSenseAreRefused) {
  ExportHeader header = Header(3);
  header.first = EventSeq(0);
  ExpectDamaged(Assemble({{FrameType::kHeader, EncodeExportHeader(header)}}, {}), "names events");
  header = Header(3);
  header.base.seq = EventSeq(7);
  ExpectDamaged(Assemble({{FrameType::kHeader, EncodeExportHeader(header)}}, {}), "behind event 7");
  ExpectDamaged(Assemble({{FrameType::kHeader, "\xff"}}, {}), "header cannot be read");
}

TEST_F(ExportFileTest, RowsOfAnotherKindAreRefused) {
  const auto header = Frames(0)[0];
  for (const auto& [type, key] : std::map<FrameType, std::string>{
           {FrameType::kDictionary, "run"}, {FrameType::kBase, "d1"}, {FrameType::kName, "x"}}) {
    ExpectDamaged(Assemble({header, {type, EncodeExportRow(key, "v")}}, {}), "a row that");
  }
}

TEST_F(ExportFileTest, WriterLeavesNothingBehindUnlessItFinishes) {
  { ASSERT_OK(ExportWriter::Create(temp_ / "half", Header(1))); }
  EXPECT_FALSE(std::filesystem::exists(temp_ / "half"));
  EXPECT_FALSE(std::filesystem::exists(temp_ / "half.tmp"));
}

}  // namespace
}  // namespace logbook::store
