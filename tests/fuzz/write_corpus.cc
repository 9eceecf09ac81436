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
#include "logbook/store/export_file.h"
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

// As frames, and as the file that they make.
void AddExports(const std::vector<Event>& events, const ViewState& state, Corpus& corpus) {
  store::ExportHeader header{.uuid = "uuid",
                             .identity = {.cluster_uid = "cluster", .operator_name = "operator"},
                             .first = EventSeq(1),
                             .last = EventSeq(5),
                             .version = "0.1.0",
                             .store_format = "1.0"};
  const auto frame = [](store::FrameType type, std::string_view payload) {
    return Concat(std::string({static_cast<char>(type), static_cast<char>(payload.size()),
                               static_cast<char>(payload.size() / 256)}),
                  payload);
  };
  const std::string base = frame(
      store::FrameType::kBase, store::EncodeExportRow("b", store::EncodeBuildRow(state.build, {})));
  RecordCodec codec;
  Chain chain = {};
  std::string records;
  std::string file = Concat(store::kExportMagic, store::kExportVersion, "\n");
  store::AppendFrame(store::FrameType::kHeader, store::EncodeExportHeader(header), file);
  for (size_t i = 0; i < 5; ++i) {
    const std::string record = codec.Encode(events[i], chain);
    records += frame(store::FrameType::kRecord, record);
    store::AppendFrame(store::FrameType::kRecord, record, file);
  }
  store::ExportFooter footer{.events = 5, .chain = chain, .sha256 = Sha256().Digest({file})};
  store::AppendFrame(store::FrameType::kFooter, store::EncodeExportFooter(footer), file);
  corpus.Add("export", "r" + file);
  const auto whole = frame(store::FrameType::kHeader, store::EncodeExportHeader(header));
  corpus.Add("export", Concat("f", whole, records));
  corpus.Add("export", Concat("f", whole, base, records));
  header.object = ObjectRef{.resource = "pods", .key = {.ns = "shop", .name = "web"}};
  corpus.Add("export",
             Concat("f", frame(store::FrameType::kHeader, store::EncodeExportHeader(header)), base,
                    records));
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
  AddExports(events, fold.state(), corpus);
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
