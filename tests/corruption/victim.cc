#include "victim.h"

#include <thread>

#include "author.h"
#include "gated_env.h"

#include "logbook/base/check.h"
#include "logbook/support/fake_clock.h"

namespace logbook::store {
namespace {

// Takes a store through its runs, and images of it on the way. Confined.
class Biography {
 public:
  explicit Biography(Victim& victim)
      : victim_(victim), author_("uid"), directory_(victim.root / "live") {}

  void Write() {
    RunThatEndsWell(60);
    RunThatEndsWell(60);
    RunThatIsKilled();
    victim_.truth = author_.truth();
  }

 private:
  std::unique_ptr<Journal> Open() {
    absl::StatusOr<std::unique_ptr<Journal>> journal = Journal::Open({.directory = directory_,
                                                                      .identity = kVictimIdentity,
                                                                      .create_if_missing = true,
                                                                      .clock = &clock_,
                                                                      .env = env_.env()});
    LOGBOOK_CHECK(journal.ok());
    return *std::move(journal);
  }

  void KeepOlder() {
    victim_.image.older.push_back(victim_.root / Concat("older-", victim_.image.older.size()));
    CopyAll(directory_, victim_.image.older.back());
  }

  void RunThatEndsWell(int events) {
    const std::unique_ptr<Journal> journal = Open();
    author_.Append(*journal, events, Fsync::kNo);
    author_.Checkpoint(*journal);
    author_.Append(*journal, 5, Fsync::kNo);
    LOGBOOK_CHECK(journal->Close().ok());
    KeepOlder();
  }

  void RunThatIsKilled() {
    const std::unique_ptr<Journal> journal = Open();
    KeepOlder();
    author_.Append(*journal, 30, Fsync::kYes);
    author_.Checkpoint(*journal);
    author_.Anchor(*journal);
    KeepOlder();
    author_.Append(*journal, 20, Fsync::kYes);
    env_.gate().SetOpen(false);
    // Only the runtime's own threads flush otherwise, when the log has grown to 16 MB.
    std::thread flusher([&] { (void)const_cast<Database&>(journal->database()).Flush(); });
    env_.gate().AwaitWaiting();
    author_.Append(*journal, 25, Fsync::kYes);
    author_.Checkpoint(*journal);
    author_.Append(*journal, 10, Fsync::kYes);
    author_.Anchor(*journal);
    author_.Append(*journal, 15, Fsync::kNo);
    victim_.image.path = victim_.root / "image";
    CopyAll(directory_, victim_.image.path);
    env_.gate().SetOpen(true);
    flusher.join();
  }

  Victim& victim_;
  Author author_;
  const std::string directory_;
  FakeClock clock_;
  GatedEnv env_;
};

// A store of somebody else, with files of the same names.
void AddOther(Victim& victim, const std::string& name, const StoreIdentity& identity) {
  const std::string directory = victim.root / name;
  Author author(name);
  for (int run = 0; run < 3; ++run) {
    absl::StatusOr<std::unique_ptr<Journal>> journal =
        Journal::Open({.directory = directory, .identity = identity, .create_if_missing = true});
    LOGBOOK_CHECK(journal.ok());
    author.Append(**journal, 70, Fsync::kNo);
    author.Checkpoint(**journal);
    if (run < 2) {
      LOGBOOK_CHECK((*journal)->Close().ok());
    }
  }
  victim.image.others.push_back(directory);
}

int FilesNamed(const std::string& directory, std::string_view ending) {
  int count = 0;
  for (const std::string& file : FilesOf(directory)) {
    count += file.ends_with(ending) ? 1 : 0;
  }
  return count;
}

}  // namespace

std::unique_ptr<Victim> MakeVictim() {
  auto victim = std::make_unique<Victim>();
  Biography(*victim).Write();
  LOGBOOK_CHECK(FilesNamed(victim->image.path, ".log") == 2);
  LOGBOOK_CHECK(FilesNamed(victim->image.path, ".sst") > 6);
  LOGBOOK_CHECK(victim->truth.synced < EventSeq(victim->truth.records.size()));
  AddOther(*victim, "other-store", kVictimIdentity);
  AddOther(*victim, "other-cluster", {.cluster_uid = "cluster-2", .operator_name = "simpleapp"});
  return victim;
}

}  // namespace logbook::store
