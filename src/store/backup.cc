#include "logbook/store/backup.h"

#include <memory>

#include "logbook/store/posix_file.h"
#include "logbook/store/staged_directory.h"
#include "logbook/store/store_directory.h"
#include "logbook/store/verify.h"

namespace logbook::store {
namespace {

absl::Status Copy(const Journal& journal, const std::string& to) {
  // Asked first: what was synced by now is in a copy that is made later.
  const Position synced = journal.synced_position();
  LOGBOOK_RETURN_IF_ERROR(journal.database().CopyTo(StoreDirectory::DatabasePath(to)));
  // As it is: a newer build may have written lines that this one does not know.
  LOGBOOK_ASSIGN_OR_RETURN(const std::string format, ReadFile(journal.directory() + "/FORMAT"));
  LOGBOOK_RETURN_IF_ERROR(ReplaceFile(to + "/FORMAT", format));
  return WriteSynced(to, synced);
}

absl::StatusOr<BackupReport> Check(const Journal& journal, const std::string& copy,
                                   const Logger& logger) {
  LOGBOOK_ASSIGN_OR_RETURN(const VerifyReport report,
                           VerifyStore({.directory = copy, .logger = logger, .progress = {}}));
  if (!report.ok()) {
    const Finding& first = report.findings.front();
    return DataLoss("the copy of store ", journal.directory(), " is not sound (", first.check, ": ",
                    first.text, "): stop the operator and see logbook log verify of the store");
  }
  return BackupReport{.events = report.events, .position = report.position};
}

absl::StatusOr<BackupReport> Make(const Journal& journal, const std::string& target,
                                  const Logger& logger) {
  LOGBOOK_ASSIGN_OR_RETURN(const std::unique_ptr<StagedDirectory> staged,
                           StagedDirectory::Make(target));
  LOGBOOK_RETURN_IF_ERROR(Copy(journal, staged->path()));
  LOGBOOK_ASSIGN_OR_RETURN(const BackupReport report, Check(journal, staged->path(), logger));
  LOGBOOK_RETURN_IF_ERROR(staged->Publish());
  return report;
}

}  // namespace

absl::StatusOr<BackupReport> Backup(const Journal& journal, const std::string& target,
                                    const Logger& logger) {
  absl::StatusOr<BackupReport> report = Make(journal, target, logger);
  return report.ok() ? report : WithContext(report.status(), "no backup was made");
}

}  // namespace logbook::store
