#include "logbook/reconcile/import_store.h"

#include <memory>
#include <utility>

#include "logbook/reconcile/fold.h"
#include "logbook/store/base.h"
#include "logbook/store/checkpoint.h"
#include "logbook/store/export_reader.h"
#include "logbook/store/import_rows.h"
#include "logbook/store/journal.h"
#include "logbook/store/staged_directory.h"
#include "logbook/store/verify.h"

namespace logbook::reconcile {
namespace {

absl::Status NotSound(const std::string& file, std::string_view what) {
  return DataLoss(file, " makes no sound store (", what,
                  "): see logbook log verify of the store that it was taken from");
}

// What the fold takes for granted of an event, and a file may lack.
absl::Status CheckFoldable(const Event& event) {
  const bool names_one = std::holds_alternative<Observed>(event.body) ||
                         std::holds_alternative<OutcomeRecorded>(event.body);
  return names_one && event.subjects.empty()
             ? DataLoss("event ", event.seq.value, " is about no object")
             : absl::OkStatus();
}

// The last view at which no list was in progress: that of the last event, mostly.
absl::StatusOr<ViewState> LastWholeView(const store::Journal& journal) {
  LOGBOOK_ASSIGN_OR_RETURN(ViewState view, store::LoadBase(journal));
  Fold fold(view);
  LOGBOOK_RETURN_IF_ERROR(journal.Read(
      view.seq.Next(), journal.last(), [&](const Event& event) -> absl::StatusOr<bool> {
        LOGBOOK_RETURN_IF_ERROR(CheckFoldable(event));
        const auto* observed = std::get_if<Observed>(&event.body);
        if (observed != nullptr && observed->listed && !fold.ListPending()) {
          view = fold.state();
        }
        fold.Apply(event);
        return true;
      }));
  return fold.ListPending() ? std::move(view) : fold.state();
}

// The rows that are derived from the events; returns the new store's identity.
absl::StatusOr<store::StoreFormat> Derive(const std::string& directory, const Logger& logger,
                                          const Clock& clock) {
  LOGBOOK_ASSIGN_OR_RETURN(
      const std::unique_ptr<store::Journal> journal,
      store::Journal::Open(
          {.directory = directory, .identity = {}, .clock = &clock, .logger = logger}));
  LOGBOOK_ASSIGN_OR_RETURN(ViewState view, LastWholeView(*journal));
  store::CheckpointInput input;
  input.state = std::make_shared<const ViewState>(std::move(view));
  input.everything = true;
  LOGBOOK_RETURN_IF_ERROR(store::WriteCheckpoint(*journal, input));
  LOGBOOK_RETURN_IF_ERROR(journal->Close());
  return journal->format();
}

absl::Status Verify(const std::string& file, const std::string& directory, const Logger& logger) {
  LOGBOOK_ASSIGN_OR_RETURN(
      const store::VerifyReport report,
      store::VerifyStore({.directory = directory, .logger = logger, .progress = {}}));
  return report.ok() ? absl::OkStatus()
                     : NotSound(file, Concat(report.findings.front().check, ": ",
                                             report.findings.front().text));
}

}  // namespace

absl::StatusOr<ImportReport> ImportStore(const ImportOptions& options, const Clock& clock) {
  LOGBOOK_ASSIGN_OR_RETURN(const auto reader, store::ExportReader::Open(options.file));
  LOGBOOK_ASSIGN_OR_RETURN(const auto staged, store::StagedDirectory::Make(options.directory));
  LOGBOOK_RETURN_IF_ERROR(store::ImportRows(*reader, staged->path(), options.logger).status());
  const absl::StatusOr<store::StoreFormat> format = Derive(staged->path(), options.logger, clock);
  if (absl::IsDataLoss(format.status())) {
    return NotSound(options.file, ToStd(format.status().message()));
  }
  LOGBOOK_RETURN_IF_ERROR(format.status());
  LOGBOOK_RETURN_IF_ERROR(Verify(options.file, staged->path(), options.logger));
  LOGBOOK_RETURN_IF_ERROR(staged->Publish());
  return ImportReport{.first = reader->header().first,
                      .last = reader->header().last,
                      .uuid = format->uuid,
                      .operator_name = format->identity.operator_name};
}

}  // namespace logbook::reconcile
