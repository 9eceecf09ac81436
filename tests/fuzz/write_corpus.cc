// Makes the seeds of the corpus that are not text: write_fuzz_corpus DIRECTORY
//
// From the events of the golden store: their records, the rows of their view, and the keys of
// those.
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>

#include "format/golden_store.h"

#include "logbook/model/record_codec.h"
#include "logbook/reconcile/fold.h"
#include "logbook/store/key_codec.h"
#include "logbook/store/state_rows.h"

namespace logbook {
namespace {

class Corpus {
 public:
  explicit Corpus(std::string directory) : directory_(std::move(directory)) {}

  void Add(const std::string& target, std::string_view bytes) {
    std::filesystem::create_directories(directory_ + "/" + target);
    std::ofstream(Concat(directory_, "/", target, "/seed-", ++count_), std::ios::binary)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }

 private:
  const std::string directory_;
  int count_ = 0;
};

void AddRecords(const std::vector<Event>& events, Corpus& corpus) {
  RecordCodec codec;
  Chain chain = {};
  for (size_t i = 0; i < events.size(); ++i) {
    const std::string record = codec.Encode(events[i], chain);
    if (i >= 5 && i < store::kGoldenEventsOfRun1) {  // one observation, and one of each kind
      corpus.Add("record", record);
    }
  }
}

void AddRows(const ViewState& state, Corpus& corpus) {
  state.objects.ForEach([&](const std::string& path, const ObjectEntry& entry) {
    const ObjectRef ref = RefFromPath(path);
    corpus.Add("row", "o" + store::EncodeObjectRow(entry));
    corpus.Add("key", store::ObjectRowKey(ref.resource, ref.key));
    corpus.Add("key", store::NamedSeqRowKey(ref.resource, ref.key, entry.seq));
  });
  state.keys.ForEach([&](const std::string& path, const KeyStatePtr& key) {
    corpus.Add("row", "k" + store::EncodeKeyRow(*key));
    corpus.Add("key", store::KeyRowKey(KeyFromPath(path)));
  });
  state.tombstones.ForEach([&](const std::string&, const Tombstone& tombstone) {
    corpus.Add("row", "t" + store::EncodeTombstoneRow(tombstone));
  });
  state.streams.ForEach([&](StreamId id, const StreamState& stream) {
    corpus.Add("row", "s" + store::EncodeStreamRow(stream));
    corpus.Add("key", store::StreamRowKey(store::kMetaStreamPrefix, id));
    corpus.Add("key", store::StreamRowKey(store::kMetaBookmarkPrefix, id));
  });
  corpus.Add("row", "b" + store::EncodeBuildRow(state.build, state.run));
  corpus.Add("key", store::EventRowKey(state.seq));
}

void Write(const std::string& directory) {
  Corpus corpus(directory);
  const std::vector<Event> events = store::GoldenEvents();
  AddRecords(events, corpus);
  reconcile::Fold fold{ViewState()};
  for (const Event& event : events) {
    fold.Apply(event);
  }
  AddRows(fold.state(), corpus);
}

}  // namespace
}  // namespace logbook

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: " << argv[0] << " DIRECTORY\n";
    return 2;
  }
  logbook::Write(argv[1]);
  return 0;
}
