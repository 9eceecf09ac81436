// When a Journal gets a new dictionary.
#include <utility>

#include "logbook/store/journal.h"
#include "logbook/store/train_dictionary.h"

namespace logbook::store {

absl::Status Journal::TrainDictionaryIfDue() {
  const Dictionary* current = dictionaries_->newest();
  const std::vector<ObjectPtr> samples = sampler_.TakeIfDue(current);
  if (samples.empty()) {
    return absl::OkStatus();
  }
  absl::StatusOr<TrainedDictionary> trained =
      TrainDictionary(dictionaries_->next_id(), samples, current);
  if (!trained.ok()) {
    options_.logger.Info("No new dictionary", {{"reason", trained.status()}});
    return absl::OkStatus();
  }
  const Dictionary& dictionary = *trained->dictionary;
  options_.logger.Info("Dictionary trained", {{"dictionary", uint64_t{dictionary.id}},
                                              {"samples", uint64_t{samples.size()}},
                                              {"bytes", dictionary.plain_bytes},
                                              {"compressedBytes", dictionary.coded_bytes}});
  RowBatch batch(*database_);
  batch.Put(ColumnFamily::kMeta, DictionaryRowKey(dictionary.id),
            EncodeDictionaryRow(dictionary, trained->bytes));
  // The log keeps the order, so whatever is appended with it cannot be there without it.
  LOGBOOK_RETURN_IF_ERROR(WriteDerived(batch));
  dictionaries_->Add(std::move(trained->dictionary));
  return absl::OkStatus();
}

}  // namespace logbook::store
