// A store with bodies that are worth compressing, and what each should be read back as.
#ifndef LOGBOOK_TESTS_STORE_BODIES_FIXTURE_H_
#define LOGBOOK_TESTS_STORE_BODIES_FIXTURE_H_

#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "store_fixture.h"

#include "logbook/store/body_codec.h"

namespace logbook::store {

class BodiesTest : public StoreTest {
 protected:
  // An object of some 1.2 KB, most of it as in others of its kind.
  static ObjectPtr Body(int object, std::string_view filler, int version = 1,
                        std::string_view kind = "image") {
    std::string spec;
    for (int i = 0; i < 20; ++i) {
      spec += Concat(kind, "-", i, "=registry.example.com/", kind, ":", object * 7 % 100 + i, ";");
    }
    return MakeObject({.name = Concat("app-", object),
                       .uid = Concat("uid-", object),
                       .resource_version = std::to_string(version),
                       .filler = Concat(spec, filler)});
  }

  void AppendBody(Journal& journal, int object, std::string_view filler,
                  std::string_view kind = "image") {
    const ObjectPtr body = Body(object, filler, ++versions_, kind);
    Event event = ObservedEvent(Next(journal), journal.run());
    std::get<Observed>(event.body).object = body;
    event.subjects[0].key = body->key();
    event.subjects[0].uid = body->uid();
    ASSERT_OK(journal.Append({&event, 1}, {}, Fsync::kNo));
    bodies_.emplace_back(body->json());
  }

  // `count` bodies of `objects` objects in turn.
  void Append(Journal& journal, int count, int objects, std::string_view kind = "image") {
    for (int i = 0; i < count; ++i) {
      AppendBody(journal, i % objects, "", kind);
    }
  }

  // As many bodies as a dictionary needs, and the dictionary.
  void AppendAndTrain(Journal& journal) {
    Append(journal, 1'000, 1'000);
    ASSERT_OK(journal.TrainDictionaryIfDue());
    ASSERT_NE(journal.dictionaries().newest(), nullptr);
  }

  static BodyForm FormOf(const Journal& journal, uint64_t seq) {
    const std::string record = *journal.GetRecord(EventSeq(seq));
    return CodedBodyOf(record)->form;
  }

  void ExpectReadsBack(const Journal& journal) const {
    size_t read = 0;
    ASSERT_OK(journal.Read(EventSeq(1), journal.last(), [&](const Event& event) {
      EXPECT_EQ(std::get<Observed>(event.body).object->json(), bodies_[event.seq.value - 1]);
      return ++read <= bodies_.size();
    }));
    EXPECT_EQ(read, bodies_.size());
  }

  // Letters that do not compress; others each time, the same in each run.
  std::string Noise(size_t bytes) {
    std::string noise;
    while (noise.size() < bytes) {
      noise += static_cast<char>('a' + noise_() % 26);
    }
    return noise;
  }

  std::vector<std::string> bodies_;  // of events 1, 2, …

 private:
  int versions_ = 0;
  std::mt19937_64 noise_;  // NOLINT(cert-msc51-cpp): what it says does not matter
};

}  // namespace logbook::store

#endif  // LOGBOOK_TESTS_STORE_BODIES_FIXTURE_H_
