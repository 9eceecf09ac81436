// SimpleApps with what they own, as a real API server returns them, in any number.
//
// Shape:    one settled app is made as JSON; the others are copies of its text in which only digits
//           and a piece of random text differ, so that making 100,000 costs little and every one
//           has the same size.
#ifndef LOGBOOK_BENCH_SIMPLE_APPS_H_
#define LOGBOOK_BENCH_SIMPLE_APPS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "logbook/base/json.h"
#include "logbook/model/object_key.h"

namespace logbook::bench {

inline constexpr std::string_view kApps = "simpleapps.apps.bootcamp.local";
inline constexpr size_t kAppBytes = 1500;
inline constexpr int64_t kFirstVersion = 10'000'001;  // all have as many digits

// The key of the i-th app.
ObjectKey AppKey(int64_t i);

// An object whose text has the marks of simple_apps.cc in it.
class ObjectTemplate {
 public:
  explicit ObjectTemplate(std::string text);

  // The i-th of its kind, at its first version.
  std::string Render(int64_t i) const;

  // Makes a rendered object another version of itself: with a new resourceVersion, and `note` in an
  // annotation. `text` may have the object anywhere, at `begin`.
  void SetVersion(std::string& text, size_t begin, int64_t version, int64_t note) const;

 private:
  struct Slot {
    size_t begin;
    size_t digits;
  };

  std::string text_;
  std::vector<Slot> numbers_;     // of the object
  std::vector<Slot> namespaces_;  // it is in
  std::vector<Slot> versions_;
  std::vector<Slot> notes_;
  std::vector<Slot> fillers_;
};

// An app for which there is nothing to do, since its Deployment and Service are as it wants them.
struct SettledApp {
  ObjectTemplate app;  // of kAppBytes
  ObjectTemplate deployment;
  ObjectTemplate service;
  Json desired_deployment;  // of the app number 0
  Json live_deployment;
};

SettledApp MakeSettledApp();

// A watch frame per app, MODIFIED, of which each round is another version of the object.
class AppFrames {
 public:
  AppFrames(const ObjectTemplate& app, int64_t count);

  int64_t count() const { return static_cast<int64_t>(frames_.size()); }

  // The n-th change of all: of app n % count.
  const std::string& Change(int64_t n);

 private:
  const ObjectTemplate& app_;
  std::vector<std::string> frames_;
};

}  // namespace logbook::bench

#endif  // LOGBOOK_BENCH_SIMPLE_APPS_H_
