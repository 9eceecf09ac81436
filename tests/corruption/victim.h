// The store that is damaged, and the truth about it.
#ifndef LOGBOOK_TESTS_CORRUPTION_VICTIM_H_
#define LOGBOOK_TESTS_CORRUPTION_VICTIM_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "contents.h"
#include "image.h"

#include "logbook/reconcile/anchor_keeper.h"

namespace logbook::store {

inline const StoreIdentity kVictimIdentity = {.cluster_uid = "cluster-1",
                                              .operator_name = "simpleapp"};

// What was written, as far as it may be asked for after a damage.
struct Truth {
  std::vector<std::string> records;         // of event i + 1
  std::vector<Rows> views;                  // [seq]: the fold up to there
  std::map<uint64_t, Bookmarks> bookmarks;  // by the seqs at which an Append ended
  EventSeq synced;                          // what a power cut leaves at the least
  std::vector<reconcile::KnownAnchor> anchors;
};

struct Victim {
  FastTempDir root;
  Image image;
  Truth truth;
};

// A store in its third run, killed: several table files, two write-ahead logs (a flush was under
// way), state checkpoints, histories, bookmarks, and a tail behind the last sync. Older images of
// it, another store of the same cluster and one of another lie beside it.
std::unique_ptr<Victim> MakeVictim();

}  // namespace logbook::store

#endif  // LOGBOOK_TESTS_CORRUPTION_VICTIM_H_
