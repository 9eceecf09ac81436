// Redactor: keeps secrets out of the journal. The values of sensitive fields are replaced by a
// keyed hash and their length, so that equal values stay equal and nothing can be read from them.
//
// Shape:    fields are named per kind, "data.*" or "spec.users.*.password": members by name, "*"
// any
//           member of an object and any item of a list. The core kind Secret is always covered. Of
//           an object with sensitive fields the annotation that kubectl apply leaves (a copy of the
//           whole) is replaced too, and so are values in its managedFields, and what a server says
//           about it in words.
// Key:      stays outside of the volume. With another key equal values become different ones. With
//           none worth the name, nothing but the length is told apart.
// Threads:  Thread-safe.
//
// Invariant: redacting twice is redacting once.
#ifndef LOGBOOK_MODEL_REDACTOR_H_
#define LOGBOOK_MODEL_REDACTOR_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "logbook/base/json.h"
#include "logbook/base/status.h"
#include "logbook/model/event.h"
#include "logbook/model/view_state.h"

namespace logbook {

// Shorter keys can be guessed.
inline constexpr size_t kRedactionKeyMin = 16;

// OK, or why `path` cannot name a sensitive field: what tells objects apart must stay readable.
absl::Status CheckSensitivePath(std::string_view path);

// By resource, "secrets" or "databases.example.com".
using SensitiveFields = std::map<std::string, std::vector<std::string>, std::less<>>;

class Redactor {
 public:
  // Redacts Secrets; see `key` above.
  explicit Redactor(std::string key, SensitiveFields fields = {});

  // Whether objects of this kind have sensitive fields.
  bool Covers(std::string_view resource) const;

  // The object with its sensitive values replaced; itself if there are none.
  ObjectPtr Redact(std::string_view resource, const ObjectPtr& object) const;
  void Redact(std::string_view resource, Json& object) const;

  // What the journal may say of an effect: its body, an object or a JSON patch, is redacted.
  std::string BodyOf(const Effect& effect) const;

  // What the server said: the object in its answer, and its words.
  void Redact(std::string_view resource, Outcome& outcome) const;

  // Everything that an event says. `view` knows what the event's stream watches.
  void Redact(const ViewState& view, Event& event) const;

  // Whether `effect` would write such a hash where a value belongs: somebody copied it from a view.
  bool HoldsHash(const Effect& effect) const;

  // "redacted:<32 hex digits>:<bytes>"; text of that form is left as it is.
  std::string Hash(std::string_view value) const;

 private:
  using Path = std::vector<std::string>;

  // Calls change(value) for each value at `path`, counted from its `step`, that is there.
  template <typename Change>
  static void ForEachAt(const Path& path, size_t step, Json& value, const Change& change);

  void RedactValue(Json& value) const;
  void RedactManagedFields(const Path& path, size_t step, Json& fields) const;
  std::string RedactedItem(const Path& path, size_t step, const std::string& name) const;
  void RedactPatch(std::string_view resource, Json& operations) const;

  const std::string key_;
  std::map<std::string, std::vector<Path>, std::less<>> paths_;
};

}  // namespace logbook

#endif  // LOGBOOK_MODEL_REDACTOR_H_
