// A dictionary from samples, measured on some of them that it was not trained on.
#ifndef LOGBOOK_STORE_TRAIN_DICTIONARY_H_
#define LOGBOOK_STORE_TRAIN_DICTIONARY_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "logbook/base/status.h"
#include "logbook/model/object.h"
#include "logbook/store/dictionaries.h"

namespace logbook::store {

// Room for some ten kinds; twice as much saves nothing on three, and half as much some percent.
inline constexpr size_t kDictionaryBytesMax = size_t{16} << 10;

struct TrainedDictionary {
  std::unique_ptr<const Dictionary> dictionary;
  std::string bytes;
};

// Dictionary `id` from `samples`. Costs some 30 ms per MB. Errors: kInvalidArgument if nothing
// comes of them; kAlreadyExists if `current`, null for none, does about as well.
absl::StatusOr<TrainedDictionary> TrainDictionary(uint32_t id, std::span<const ObjectPtr> samples,
                                                  const Dictionary* current);

}  // namespace logbook::store

#endif  // LOGBOOK_STORE_TRAIN_DICTIONARY_H_
