// The dictionaries that bodies are compressed with: rows of meta, numbered 1, 2, 3, …, never
// changed and never removed. The newest one is written with, the others are for reading.
//
// Threads:  Thread-safe.
// Errors:   a row that cannot be used is no error until a record asks for it.
// Owns:     the dictionaries: those it hands out live as long as it does.
// Source:   docs/format.md, "Bodies".
#ifndef LOGBOOK_STORE_DICTIONARIES_H_
#define LOGBOOK_STORE_DICTIONARIES_H_

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"

#include "logbook/base/status.h"
#include "logbook/base/zstd.h"
#include "logbook/store/database.h"

namespace logbook::store {

// No more are made for one store: each takes room in memory and on disk for good.
inline constexpr uint32_t kDictionariesMax = 16;

// Measured on bodies of 1.5 to 4 KB: 1 costs 0.15 µs more than the fastest level and saves half of
// what that leaves; higher ones save nothing.
inline constexpr int kBodyCompressionLevel = 1;

struct Dictionary {
  uint32_t id = 0;
  std::unique_ptr<const ZstdDictionary> zstd;
  // How well it did on bodies that it was not trained on.
  uint64_t plain_bytes = 0;
  uint64_t coded_bytes = 0;
};

class Dictionaries {
 public:
  // Reads all rows. Errors: those of Database; kDataLoss if a key cannot be read.
  static absl::StatusOr<std::unique_ptr<Dictionaries>> Load(const Database& database);

  // Null without one.
  const Dictionary* newest() const { return newest_.load(std::memory_order_acquire); }

  // Errors: kDataLoss naming the dictionary if it is missing or damaged.
  absl::StatusOr<const Dictionary*> Get(uint32_t id) const;

  // The id after all there are, damaged ones included.
  uint32_t next_id() const;

  // Takes `dictionary` into use; its row is written already.
  void Add(std::unique_ptr<const Dictionary> dictionary);

 private:
  std::atomic<const Dictionary*> newest_ = nullptr;
  mutable absl::Mutex mu_;
  std::map<uint32_t, absl::StatusOr<std::unique_ptr<const Dictionary>>> all_ ABSL_GUARDED_BY(mu_);
};

// The key and the value of a dictionary's row.
std::string DictionaryRowKey(uint32_t id);
std::string EncodeDictionaryRow(const Dictionary& dictionary, std::string_view bytes);

// Errors: kDataLoss naming the dictionary if it is damaged.
absl::StatusOr<std::unique_ptr<const Dictionary>> DecodeDictionaryRow(uint32_t id,
                                                                      std::string_view value);

}  // namespace logbook::store

#endif  // LOGBOOK_STORE_DICTIONARIES_H_
