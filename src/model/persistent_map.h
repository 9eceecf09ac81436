// PersistentMap: an ordered map whose copies cost one pointer and stay what they were.
//
// The view is made of these: the fold keeps changing its copy while workers read theirs, without a
// lock and for as long as they like.
//
// How:      a B-tree of reference-counted nodes. A node that only this copy holds is changed in
//           place; one that another copy holds too is cloned first, with its path to the root. So
//           writing costs a clone of some four nodes after a copy was taken, and nothing otherwise.
// Threads:  Thread-compatible, and copies are independent of each other: one thread may write to
//           one copy while others read theirs. Taking a copy counts as reading.
// Order:    by key, so that iteration is the same in every process.
#ifndef LOGBOOK_MODEL_PERSISTENT_MAP_H_
#define LOGBOOK_MODEL_PERSISTENT_MAP_H_

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

namespace logbook {

namespace persistent_map_internal {

// An intrusive pointer whose use count can be trusted: std::shared_ptr::use_count is relaxed, and
// a writer that saw 1 might still race with the last read of the reader that just let go.
template <typename T>
class Ref {
 public:
  Ref() = default;

  explicit Ref(T* node) : node_(node) {}

  Ref(const Ref& other) : node_(other.node_) {
    if (node_ != nullptr) {
      node_->refs.fetch_add(1, std::memory_order_relaxed);
    }
  }

  Ref(Ref&& other) noexcept : node_(std::exchange(other.node_, nullptr)) {}

  Ref& operator=(Ref other) noexcept {
    std::swap(node_, other.node_);
    return *this;
  }

  ~Ref() {
    if (node_ != nullptr && node_->refs.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      delete node_;
    }
  }

  bool Unique() const { return node_->refs.load(std::memory_order_acquire) == 1; }

  T* get() const { return node_; }

  T* operator->() const { return node_; }

  explicit operator bool() const { return node_ != nullptr; }

 private:
  T* node_ = nullptr;
};

}  // namespace persistent_map_internal

// Key needs < and ==; lookups take whatever compares with it (std::string and std::string_view).
template <typename Key, typename Value>
class PersistentMap {
 public:
  size_t size() const { return size_; }

  bool empty() const { return size_ == 0; }

  // The value under `key`, or nullptr. Stands as long as this copy is not written to.
  template <typename K>
  const Value* Find(const K& key) const {
    const Node* node = root_.get();
    if (node == nullptr) {
      return nullptr;
    }
    while (!node->leaf()) {
      node = node->children[node->ChildFor(key)].get();
    }
    const size_t at = node->LowerBound(key);
    return at < node->entries.size() && node->entries[at].first == key ? &node->entries[at].second
                                                                       : nullptr;
  }

  // Inserts or replaces.
  void Set(Key key, Value value) {
    if (!root_) {
      root_ = NodeRef(new Node);
    }
    size_ += Insert(Own(root_), std::move(key), std::move(value)) ? 1 : 0;
    if (root_->Count() > kFanout) {
      NodeRef old = std::move(root_);
      root_ = NodeRef(new Node);
      root_->children.push_back(std::move(old));
      root_->Split(0);
    }
  }

  // Whether there was such a key.
  template <typename K>
  bool Erase(const K& key) {
    if (Find(key) == nullptr) {
      return false;
    }
    Remove(Own(root_), key);
    while (!root_->leaf() && root_->children.size() == 1) {
      NodeRef child = root_->children[0];
      root_ = std::move(child);
    }
    --size_;
    return true;
  }

  // Calls visit(key, value) from the first key not less than `from` on, in order, until it returns
  // false. The map must not be written to meanwhile; a copy may.
  template <typename K, typename Visit>
  void ScanFrom(const K& from, Visit visit) const {
    if (root_) {
      Scan(root_.get(), &from, visit);
    }
  }

  template <typename Visit>
  void ForEach(Visit visit) const {
    if (root_) {
      Scan(root_.get(), static_cast<const Key*>(nullptr), [&](const Key& key, const Value& value) {
        visit(key, value);
        return true;
      });
    }
  }

 private:
  // 32 entries: a leaf of the object table is then about a kilobyte, and 100,000 objects are four
  // levels. Nodes below a quarter are merged with a neighbour.
  static constexpr size_t kFanout = 32;
  static constexpr size_t kMergeBelow = kFanout / 4;

  struct Node;
  using NodeRef = persistent_map_internal::Ref<Node>;
  using Entry = std::pair<Key, Value>;

  struct Node {
    std::atomic<size_t> refs{1};
    std::vector<Entry> entries;     // leaves
    std::vector<Key> separators;    // inner: separators[i] is the least key below children[i + 1]
    std::vector<NodeRef> children;  // inner

    Node() = default;

    Node(const Node& other)
        : entries(other.entries), separators(other.separators), children(other.children) {}

    bool leaf() const { return children.empty(); }

    size_t Count() const { return leaf() ? entries.size() : children.size(); }

    template <typename K>
    size_t LowerBound(const K& key) const {
      return std::lower_bound(entries.begin(), entries.end(), key,
                              [](const Entry& entry, const K& k) { return entry.first < k; }) -
             entries.begin();
    }

    template <typename K>
    size_t ChildFor(const K& key) const {
      return std::upper_bound(separators.begin(), separators.end(), key,
                              [](const K& k, const Key& separator) { return k < separator; }) -
             separators.begin();
    }

    // Splits child `i`, which is owned and too large. Keys that come in order leave full nodes
    // behind, since the split is then at the end.
    void Split(size_t i) {
      Node& left = *children[i].get();
      NodeRef right(new Node);
      const size_t keep = i + 1 == children.size() ? kFanout - 1 : kFanout / 2;
      if (left.leaf()) {
        right->entries.assign(std::make_move_iterator(left.entries.begin() + keep),
                              std::make_move_iterator(left.entries.end()));
        left.entries.erase(left.entries.begin() + keep, left.entries.end());
        separators.insert(separators.begin() + i, right->entries.front().first);
      } else {
        separators.insert(separators.begin() + i, std::move(left.separators[keep - 1]));
        right->separators.assign(std::make_move_iterator(left.separators.begin() + keep),
                                 std::make_move_iterator(left.separators.end()));
        right->children.assign(std::make_move_iterator(left.children.begin() + keep),
                               std::make_move_iterator(left.children.end()));
        left.separators.erase(left.separators.begin() + (keep - 1), left.separators.end());
        left.children.erase(left.children.begin() + keep, left.children.end());
      }
      children.insert(children.begin() + i + 1, std::move(right));
    }

    // Joins child `i + 1` into child `i`, which is owned.
    void Join(size_t i) {
      Node& left = *children[i].get();
      const Node& right = *children[i + 1].get();
      left.entries.insert(left.entries.end(), right.entries.begin(), right.entries.end());
      if (!left.leaf()) {
        left.separators.push_back(separators[i]);
        left.separators.insert(left.separators.end(), right.separators.begin(),
                               right.separators.end());
        left.children.insert(left.children.end(), right.children.begin(), right.children.end());
      }
      separators.erase(separators.begin() + i);
      children.erase(children.begin() + i + 1);
    }
  };

  // The node behind `ref`, not shared with any other copy.
  static Node& Own(NodeRef& ref) {
    if (!ref.Unique()) {
      ref = NodeRef(new Node(*ref.get()));
    }
    return *ref.get();
  }

  // Whether the key is new. `node` is owned; it may be one entry too large afterwards.
  static bool Insert(Node& node, Key key, Value value) {
    if (node.leaf()) {
      const size_t at = node.LowerBound(key);
      if (at < node.entries.size() && node.entries[at].first == key) {
        node.entries[at].second = std::move(value);
        return false;
      }
      node.entries.emplace(node.entries.begin() + at, std::move(key), std::move(value));
      return true;
    }
    const size_t i = node.ChildFor(key);
    const bool inserted = Insert(Own(node.children[i]), std::move(key), std::move(value));
    if (node.children[i]->Count() > kFanout) {
      node.Split(i);
    }
    return inserted;
  }

  // `key` is there. `node` is owned; it may be small afterwards, which its parent mends.
  template <typename K>
  static void Remove(Node& node, const K& key) {
    if (node.leaf()) {
      node.entries.erase(node.entries.begin() + node.LowerBound(key));
      return;
    }
    const size_t i = node.ChildFor(key);
    Remove(Own(node.children[i]), key);
    if (node.children[i]->Count() >= kMergeBelow || node.children.size() == 1) {
      return;
    }
    const size_t left = i > 0 ? i - 1 : i;
    if (node.children[left]->Count() + node.children[left + 1]->Count() <= kFanout) {
      Own(node.children[left]);
      node.Join(left);
    }
  }

  // Whether to go on. `from` is null once the first key is passed.
  template <typename K, typename Visit>
  static bool Scan(const Node* node, const K* from, Visit&& visit) {
    if (node->leaf()) {
      for (size_t i = from == nullptr ? 0 : node->LowerBound(*from); i < node->entries.size();
           ++i) {
        if (!visit(node->entries[i].first, node->entries[i].second)) {
          return false;
        }
      }
      return true;
    }
    const size_t first = from == nullptr ? 0 : node->ChildFor(*from);
    for (size_t i = first; i < node->children.size(); ++i) {
      if (!Scan(node->children[i].get(), i == first ? from : nullptr, visit)) {
        return false;
      }
    }
    return true;
  }

  NodeRef root_;
  size_t size_ = 0;
};

}  // namespace logbook

#endif  // LOGBOOK_MODEL_PERSISTENT_MAP_H_
