// Exports and imports: a round trip over histories of every kind, slices, and what is refused.
#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "random_journal_fixture.h"
#include "view_text.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "logbook/reconcile/export_store.h"
#include "logbook/reconcile/import_store.h"
#include "logbook/reconcile/trimmer.h"
#include "logbook/reconcile/view_at.h"
#include "logbook/store/checkpoint.h"
#include "logbook/store/export_reader.h"
#include "logbook/store/history.h"
#include "logbook/store/holds.h"
#include "logbook/store/inspect.h"
#include "logbook/store/journal.h"
#include "logbook/store/trim.h"
#include "logbook/store/verify.h"
#include "logbook/support/fake_clock.h"
#include "logbook/support/seed.h"
#include "logbook/support/status_matchers.h"
#include "logbook/support/temp_dir.h"

namespace logbook::reconcile {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr uint64_t kBlock = store::kBlockEvents;

// What a file holds, in the order of its parts.
struct Contents {
  store::ExportHeader header;
  std::map<store::FrameType, uint64_t> counts;
  std::map<EventSeq, std::string> records;
  std::map<EventSeq, std::string> kept;
};

// Journals have bodies that are compressed, lists and several runs.
class ExportTest : public RandomJournalTest {
 protected:
  ExportTest() : RandomJournalTest(true) {}

  void Trim(EventSeq to) {
    Checkpoint();
    ASSERT_OK(TrimTo(to));
  }

  std::string Export(const std::string& name, const ExportOptions& options = {}) {
    std::string file = temp_ / name;
    const absl::StatusOr<ExportReport> report = ExportStore(*journal_, file, options);
    EXPECT_OK(report);
    if (report.ok()) {
      EXPECT_EQ(report->bytes, std::filesystem::file_size(file));
    }
    EXPECT_FALSE(std::filesystem::exists(file + ".tmp"));
    return file;
  }

  std::unique_ptr<store::Journal> Import(const std::string& file, const std::string& name) {
    const absl::StatusOr<ImportReport> report =
        ImportStore({.file = file, .directory = temp_ / name, .logger = {}}, clock_);
    EXPECT_OK(report);
    EXPECT_EQ(report->operator_name, "import of simpleapp");
    ExpectSound(temp_ / name);
    absl::StatusOr<std::unique_ptr<store::Journal>> journal =
        store::OpenOffline(temp_ / name, Logger());
    EXPECT_OK(journal);
    return *std::move(journal);
  }

  static Contents Read(const std::string& file) {
    Contents contents;
    const auto reader = store::ExportReader::Open(file);
    EXPECT_OK(reader);
    contents.header = (*reader)->header();
    while (true) {
      const auto part = (*reader)->Next();
      EXPECT_OK(part);
      if (!part.ok() || !part->has_value()) {
        return contents;
      }
      ++contents.counts[(*part)->type];
      if ((*part)->type == store::FrameType::kRecord) {
        contents.records[(*part)->seq] = (*part)->record;
      } else if ((*part)->type == store::FrameType::kKept) {
        contents.kept[(*part)->seq] = (*part)->record;
      }
    }
  }

  // At the first event, at some in between, and at the last.
  void ExpectSameViews(const store::Journal& imported) const {
    ASSERT_EQ(imported.last(), journal_->last());
    std::vector<EventSeq> seqs = {imported.watermark().seq, imported.oldest(), imported.last()};
    for (const auto& [seq, view] : views_) {
      if (seq > imported.watermark().seq && seq.value % 13 == 0) {
        seqs.push_back(seq);
      }
    }
    for (EventSeq seq : seqs) {
      const auto ours = FoldTo(*journal_, seq);
      const auto theirs = FoldTo(imported, seq);
      ASSERT_OK(ours);
      ASSERT_OK(theirs);
      EXPECT_EQ(TextOf(theirs->state()), TextOf(ours->state())) << "at " << seq.value;
    }
  }

  void ExpectSameHistory(const store::Journal& imported) const {
    for (int i = 0; i < 40; ++i) {
      const ObjectRef app{.resource = std::string(kApps),
                          .key = {.ns = "shop", .name = Concat("app-", i)}};
      const auto ours = store::ReadHistory(*journal_, app, EventSeq(1), 100'000);
      const auto theirs = store::ReadHistory(imported, app, EventSeq(1), 100'000);
      ASSERT_OK(ours);
      ASSERT_OK(theirs);
      EXPECT_EQ(*theirs, *ours) << app.ToString();
      const auto names = store::ReadIncarnations(*journal_, app.resource, app.key);
      const auto theirs_names = store::ReadIncarnations(imported, app.resource, app.key);
      ASSERT_OK(names);
      ASSERT_OK(theirs_names);
      EXPECT_EQ(*theirs_names, *names) << app.ToString();
    }
  }
};

TEST_F(ExportTest, WhatIsImportedIsWhatWasExported) {
  Fill(EventSeq(kBlock));
  Open();  // another run
  Fill(EventSeq(2 * kBlock + 900));
  const std::string file = Export("whole");
  const auto imported = Import(file, "imported");
  EXPECT_EQ(imported->oldest(), EventSeq(1));
  EXPECT_EQ(imported->chain(), journal_->chain());
  EXPECT_NE(imported->format().uuid, journal_->format().uuid);
  EXPECT_THAT(*imported->Bookmarks(), IsEmpty());
  ExpectSameViews(*imported);
  ExpectSameHistory(*imported);
  ASSERT_OK(ExportStore(*imported, temp_ / "again", {}));
  EXPECT_EQ(Read(temp_ / "again").records, Read(file).records);
}

TEST_F(ExportTest, TrimmedStoreIsExportedWithItsBaseAndWhatItKept) {
  Fill(EventSeq(4 * kBlock));
  Trim(EventSeq(3 * kBlock));
  ASSERT_OK(store::PutHold(
      *journal_, {.name = "case-1", .from = journal_->oldest(), .who = "ann", .why = "legal"}));
  const std::string file = Export("trimmed");
  const auto imported = Import(file, "imported");
  EXPECT_EQ(imported->watermark(), journal_->watermark());
  EXPECT_THAT(*store::ReadHolds(*imported), IsEmpty());
  ExpectSameViews(*imported);
  ExpectSameHistory(*imported);
  ASSERT_OK(ExportStore(*imported, temp_ / "again", {}));
  const Contents first = Read(file);
  const Contents again = Read(temp_ / "again");
  EXPECT_EQ(again.records, first.records);
  EXPECT_EQ(again.kept, first.kept);
  EXPECT_EQ(again.counts, first.counts);
}

TEST_F(ExportTest, SinceGoesBackToAnEndOfABlockAtWhichNoListIsInProgress) {
  Fill(EventSeq(4 * kBlock + 100));
  const std::string file = Export("since", {.since = EventSeq(3 * kBlock + 50)});
  const Contents contents = Read(file);
  EXPECT_LE(contents.header.first, EventSeq(3 * kBlock));
  EXPECT_EQ(contents.header.first.value % kBlock, contents.header.first == EventSeq(1) ? 1U : 0U);
  const auto imported = Import(file, "imported");
  EXPECT_EQ(imported->oldest(), contents.header.first);
  ExpectSameViews(*imported);
  const std::string by_time =
      Export("by-time", {.not_before = FakeClock::Start() + absl::Seconds(3 * kBlock + 50)});
  EXPECT_EQ(Read(by_time).records, contents.records);
}

TEST_F(ExportTest, SinceBeyondWhatIsThereIsRefused) {
  Fill(EventSeq(2 * kBlock));
  EXPECT_THAT(ExportStore(*journal_, temp_ / "late", {.since = EventSeq(9 * kBlock)}).status(),
              StatusIs(absl::StatusCode::kOutOfRange, HasSubstr("the last is")));
  Trim(EventSeq(2 * kBlock));
  if (journal_->watermark().seq > EventSeq(0)) {
    EXPECT_THAT(ExportStore(*journal_, temp_ / "early", {.since = EventSeq(5)}).status(),
                StatusIs(absl::StatusCode::kOutOfRange, HasSubstr("trimmed")));
  }
  EXPECT_FALSE(std::filesystem::exists(temp_ / "late.tmp"));
}

TEST_F(ExportTest, EmptyStoreIsExportedToo) {
  const auto imported = Import(Export("empty"), "imported");
  EXPECT_EQ(imported->last(), EventSeq(0));
}

TEST_F(ExportTest, ListInProgressAtTheEndStaysOutOfTheView) {
  Fill(EventSeq(300));
  while (!fold_.ListPending()) {
    Fill(fold_.state().seq.Next());
  }
  const auto imported = Import(Export("listing"), "imported");
  const auto newest = FoldNewest(*imported);
  ASSERT_OK(newest);
  EXPECT_TRUE(newest->fold.ListPending());
  EXPECT_EQ(TextOf(newest->fold.state()), TextOf(fold_.state()));
}

class SliceTest : public ExportTest {
 protected:
  const ObjectRef app_{.resource = std::string(kApps), .key = {.ns = "shop", .name = "app-7"}};
};

TEST_F(SliceTest, SliceShowsTheObjectAsTheWholeDoes) {
  Fill(EventSeq(3 * kBlock + 100));
  Trim(EventSeq(kBlock));
  const std::string file = Export("slice", {.object = app_});
  const Contents contents = Read(file);
  EXPECT_EQ(contents.header.object, app_);
  EXPECT_LT(contents.records.size(), journal_->last().value / 5);
  const auto imported = Import(file, "imported");
  ASSERT_EQ(imported->last(), journal_->last());
  for (uint64_t seq = imported->oldest().value; seq <= imported->last().value; seq += 1777) {
    const auto ours = FoldTo(*journal_, EventSeq(seq));
    const auto theirs = FoldTo(*imported, EventSeq(seq));
    ASSERT_OK(ours);
    ASSERT_OK(theirs);
    for (const std::string& resource : {app_.resource, std::string("deployments.apps")}) {
      const ObjectEntry* our = ours->state().FindObject(resource, app_.key);
      const ObjectEntry* their = theirs->state().FindObject(resource, app_.key);
      ASSERT_EQ(their == nullptr, our == nullptr) << resource << " at " << seq;
      if (our != nullptr) {
        EXPECT_EQ(store::EncodeObjectRow(*their), store::EncodeObjectRow(*our)) << "at " << seq;
      }
    }
    const KeyState* our = ours->state().FindKey(Key("app-7"));
    const KeyState* their = theirs->state().FindKey(Key("app-7"));
    ASSERT_EQ(their == nullptr, our == nullptr) << "at " << seq;
    if (our != nullptr) {
      EXPECT_EQ(store::EncodeKeyRow(*their), store::EncodeKeyRow(*our)) << "at " << seq;
    }
  }
}

TEST_F(SliceTest, SliceHasTheObjectsOfTheObjectAndNoOthers) {
  Fill(EventSeq(kBlock));
  const Contents contents = Read(Export("slice", {.object = app_}));
  uint64_t apps = 0;
  uint64_t deployments = 0;
  for (const auto& [seq, record] : contents.records) {
    const auto subjects = SubjectsOf(record);
    ASSERT_OK(subjects);
    for (const ObjectRef& subject : *subjects) {
      EXPECT_EQ(subject.key, app_.key) << "event " << seq.value;
      ++(subject.resource == kApps ? apps : deployments);
    }
    const auto body = CodedBodyOf(record);
    ASSERT_OK(body);
    EXPECT_EQ(body->form.delta_base, EventSeq(0));
  }
  EXPECT_GT(apps, 0U);
  EXPECT_GT(deployments, 0U);
}

TEST_F(SliceTest, EventsThatAreNotInASliceAreGapsWithTheirNumbers) {
  Fill(EventSeq(500));
  const std::string file = Export("slice", {.object = app_});
  const Contents contents = Read(file);
  const auto imported = Import(file, "imported");
  ASSERT_OK(imported->Read(EventSeq(1), EventSeq(500), [&](const Event& event) {
    const auto* gap = std::get_if<Gap>(&event.body);
    const bool stands_in = gap != nullptr && gap->reason == "not in this slice";
    EXPECT_EQ(stands_in, !contents.records.contains(event.seq)) << event.seq.value;
    if (stands_in) {
      EXPECT_EQ(gap->first_missing, event.seq);
      EXPECT_EQ(gap->last_missing, event.seq);
    }
    return true;
  }));
}

TEST_F(SliceTest, ObjectThatIsNotThereIsNoSlice) {
  Fill(EventSeq(300));
  EXPECT_THAT(
      ExportStore(*journal_, temp_ / "none",
                  {.object = ObjectRef{.resource = "pods", .key = {.ns = "shop", .name = "x"}}})
          .status(),
      StatusIs(absl::StatusCode::kNotFound, HasSubstr("pods shop/x")));
  EXPECT_FALSE(std::filesystem::exists(temp_ / "none"));
}

TEST_F(ExportTest, NothingIsOverwritten) {
  Fill(EventSeq(100));
  const std::string file = Export("file");
  EXPECT_THAT(ExportStore(*journal_, file, {}).status(),
              StatusIs(absl::StatusCode::kAlreadyExists, HasSubstr("name another file")));
  const auto import = [&](const std::string& directory) {
    return ImportStore({.file = file, .directory = directory, .logger = {}}, clock_).status();
  };
  EXPECT_THAT(import(temp_ / "store"),
              StatusIs(absl::StatusCode::kAlreadyExists, HasSubstr("is not empty")));
  EXPECT_OK(import(temp_ / "imported"));
  EXPECT_THAT(import(temp_ / "imported"), StatusIs(absl::StatusCode::kAlreadyExists));
}

TEST_F(ExportTest, NothingIsImportedOfAFileThatWasCutOff) {
  Fill(EventSeq(3000));
  const std::string file = Export("file");
  std::filesystem::resize_file(file, std::filesystem::file_size(file) - 1);
  EXPECT_THAT(
      ImportStore({.file = file, .directory = temp_ / "imported", .logger = {}}, clock_).status(),
      StatusIs(absl::StatusCode::kDataLoss,
               AllOf(HasSubstr(file), HasSubstr("ends at byte"), HasSubstr("before its footer"))));
  EXPECT_FALSE(std::filesystem::exists(temp_ / "imported"));
  EXPECT_FALSE(std::filesystem::exists(temp_ / "imported.tmp"));
}

TEST_F(ExportTest, ManagerRefusesAnImport) {
  Fill(EventSeq(100));
  Import(Export("file"), "imported").reset();
  EXPECT_THAT(
      store::Journal::Open({.directory = temp_ / "imported",
                            .identity = {.cluster_uid = "cluster", .operator_name = "simpleapp"},
                            .clock = &clock_})
          .status(),
      StatusIs(absl::StatusCode::kFailedPrecondition,
               HasSubstr("belongs to operator import of simpleapp")));
}

}  // namespace
}  // namespace logbook::reconcile
