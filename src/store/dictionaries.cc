#include "logbook/store/dictionaries.h"

#include <utility>

#include "logbook/base/hash.h"
#include "logbook/store/key_codec.h"
#include "logbook/v1/record.pb.h"

namespace logbook::store {
namespace {

constexpr size_t kChecksumBytes = 16;

std::string ChecksumOf(std::string_view bytes) {
  const Sha256Digest digest = Sha256().Digest({bytes});
  return {reinterpret_cast<const char*>(digest.data()), kChecksumBytes};
}

absl::Status Damaged(uint32_t id, std::string_view what) {
  return DataLoss("dictionary ", id, " is damaged: ", what);
}

}  // namespace

std::string DictionaryRowKey(uint32_t id) {
  return StreamRowKey(kMetaDictionaryPrefix, StreamId(id));
}

std::string EncodeDictionaryRow(const Dictionary& dictionary, std::string_view bytes) {
  v1::DictionaryRow row;
  row.set_dictionary(std::string(bytes));
  row.set_checksum(ChecksumOf(bytes));
  row.set_plain_bytes(dictionary.plain_bytes);
  row.set_coded_bytes(dictionary.coded_bytes);
  return row.SerializeAsString();
}

absl::StatusOr<std::unique_ptr<const Dictionary>> DecodeDictionaryRow(uint32_t id,
                                                                      std::string_view value) {
  v1::DictionaryRow row;
  if (!row.ParseFromArray(value.data(), static_cast<int>(value.size()))) {
    return Damaged(id, "unreadable row");
  }
  if (row.checksum() != ChecksumOf(row.dictionary())) {
    return Damaged(id, "its checksum is another");
  }
  auto zstd = ZstdDictionary::Prepare(row.dictionary(), kBodyCompressionLevel);
  if (!zstd.ok()) {
    return Damaged(id, ToStd(zstd.status().message()));
  }
  return std::make_unique<const Dictionary>(Dictionary{.id = id,
                                                       .zstd = *std::move(zstd),
                                                       .plain_bytes = row.plain_bytes(),
                                                       .coded_bytes = row.coded_bytes()});
}

absl::StatusOr<std::unique_ptr<Dictionaries>> Dictionaries::Load(const Database& database) {
  std::map<uint32_t, absl::StatusOr<std::unique_ptr<const Dictionary>>> rows;
  LOGBOOK_RETURN_IF_ERROR(database.Scan(
      ColumnFamily::kMeta, kMetaDictionaryPrefix, EndOfPrefix(kMetaDictionaryPrefix),
      [&](std::string_view key, std::string_view value) -> absl::StatusOr<bool> {
        LOGBOOK_ASSIGN_OR_RETURN(const StreamId id, ParseStreamRowKey(kMetaDictionaryPrefix, key));
        rows.emplace(id.value, DecodeDictionaryRow(id.value, value));
        return true;
      }));
  auto loaded = std::make_unique<Dictionaries>();
  for (const auto& [id, row] : rows) {
    if (row.ok()) {
      loaded->newest_ = row->get();
    }
  }
  absl::MutexLock lock(&loaded->mu_);
  loaded->all_ = std::move(rows);
  return loaded;
}

absl::StatusOr<const Dictionary*> Dictionaries::Get(uint32_t id) const {
  absl::MutexLock lock(&mu_);
  const auto found = all_.find(id);
  if (found == all_.end()) {
    return DataLoss("dictionary ", id, " is missing");
  }
  LOGBOOK_RETURN_IF_ERROR(found->second.status());
  return found->second->get();
}

uint32_t Dictionaries::next_id() const {
  absl::MutexLock lock(&mu_);
  return all_.empty() ? 1 : all_.rbegin()->first + 1;
}

void Dictionaries::Add(std::unique_ptr<const Dictionary> dictionary) {
  absl::MutexLock lock(&mu_);
  const Dictionary* added = dictionary.get();
  all_.insert_or_assign(added->id, std::move(dictionary));
  newest_.store(added, std::memory_order_release);
}

}  // namespace logbook::store
