// ViewState: everything, as the fold of the journal up to one seq.
//
// Shape:    tables that are copied for the price of a pointer (persistent_map.h). The fold owns one
//           and changes it; whoever reads holds a copy, which stays what it was.
// Threads:  as PersistentMap: Thread-compatible, copies independent.
#ifndef LOGBOOK_MODEL_VIEW_STATE_H_
#define LOGBOOK_MODEL_VIEW_STATE_H_

#include <memory>
#include <string>
#include <string_view>

#include "logbook/model/event.h"
#include "logbook/model/ids.h"
#include "logbook/model/key_state.h"
#include "logbook/model/object.h"
#include "logbook/model/object_key.h"
#include "logbook/model/persistent_map.h"

namespace logbook {

// An object of the view, and which event brought it there.
struct ObjectEntry {
  ObjectPtr object;
  EventSeq seq;
  StreamId stream;
};

struct StreamState {
  EventSeq seq;  // of the last event that changed this
  StreamIdentity identity;
  std::string served_by;    // what served it when it was last listed
  uint64_t generation = 1;  // grows when the cluster went back in time
  bool listed = false;      // a list has completed: the view holds all of it
  bool rewound = false;     // the cluster went back; until listed, older versions count as newer
  bool closed = false;      // not watched any more; its id is not given to another

  friend bool operator==(const StreamState&, const StreamState&) = default;
};

// A uid that is gone and never returns.
struct Tombstone {
  EventSeq seq;
  ObjectRef object;

  friend bool operator==(const Tombstone&, const Tombstone&) = default;
};

// Keys of the tables. NUL cannot occur in a name, so the order is by resource, namespace, name.
std::string ObjectPath(std::string_view resource, const ObjectKey& key);
std::string ObjectPathPrefix(std::string_view resource);                       // of a kind
std::string ObjectPathPrefix(std::string_view resource, std::string_view ns);  // in a namespace
std::string KeyPath(const ControllerKey& key);

// Reads back what KeyPath and ObjectPath wrote; the path must be one of theirs.
ControllerKey KeyFromPath(std::string_view path);
ObjectRef RefFromPath(std::string_view path);

struct ViewState {
  EventSeq seq;
  PersistentMap<std::string, ObjectEntry> objects;   // by ObjectPath
  PersistentMap<std::string, char> children;         // controller uid + NUL + ObjectPath
  PersistentMap<std::string, KeyStatePtr> keys;      // by KeyPath
  PersistentMap<std::string, Tombstone> tombstones;  // by uid
  PersistentMap<StreamId, StreamState> streams;
  BuildStarted build;  // the last start recorded
  RunId run;           // that it belongs to

  const ObjectEntry* FindObject(std::string_view resource, const ObjectKey& key) const;
  const KeyState* FindKey(const ControllerKey& key) const;

  // Puts or removes an object and keeps `children` in step.
  void PutObject(std::string_view resource, ObjectEntry entry);
  void RemoveObject(std::string_view resource, const ObjectKey& key);
  // PutObject for who has looked already: `old` is what objects.Find(path) said.
  void PutObjectAt(std::string path, const ObjectEntry* old, ObjectEntry entry);
};

using ViewStatePtr = std::shared_ptr<const ViewState>;

}  // namespace logbook

#endif  // LOGBOOK_MODEL_VIEW_STATE_H_
