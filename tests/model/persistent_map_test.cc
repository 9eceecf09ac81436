#include "logbook/model/persistent_map.h"

#include <map>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "logbook/support/seed.h"

namespace logbook {
namespace {

using Map = PersistentMap<std::string, int>;
using Model = std::map<std::string, int, std::less<>>;

std::string KeyAt(uint64_t i) {
  std::string digits = std::to_string(i);
  return std::string(8 - digits.size(), '0') + digits;
}

// All that a map can be asked, asked.
void ExpectSame(const Map& map, const Model& model) {
  ASSERT_EQ(map.size(), model.size());
  ASSERT_EQ(map.empty(), model.empty());
  auto next = model.begin();
  map.ForEach([&](const std::string& key, int value) {
    ASSERT_NE(next, model.end());
    ASSERT_EQ(key, next->first);
    ASSERT_EQ(value, next->second);
    ++next;
  });
  ASSERT_EQ(next, model.end());
  for (const auto& [key, value] : model) {
    const int* found = map.Find(std::string_view(key));
    ASSERT_NE(found, nullptr) << key;
    ASSERT_EQ(*found, value);
  }
}

void ExpectSameScan(const Map& map, const Model& model, std::string_view from) {
  auto next = model.lower_bound(from);
  int left = 50;
  map.ScanFrom(from, [&](const std::string& key, int) {
    EXPECT_NE(next, model.end());
    EXPECT_EQ(key, next->first);
    ++next;
    return --left > 0;
  });
  EXPECT_TRUE(left == 0 || next == model.end());
}

TEST(PersistentMapTest, EmptyMapAnswers) {
  const Map map;
  EXPECT_TRUE(map.empty());
  EXPECT_EQ(map.Find("a"), nullptr);
  map.ForEach([](const std::string&, int) { FAIL(); });
  map.ScanFrom("", [](const std::string&, int) { return true; });
  Map copy = map;
  EXPECT_FALSE(copy.Erase("a"));
}

TEST(PersistentMapTest, SetReplaces) {
  Map map;
  map.Set("a", 1);
  map.Set("a", 2);
  EXPECT_EQ(map.size(), 1U);
  EXPECT_EQ(*map.Find("a"), 2);
}

TEST(PersistentMapTest, EraseTellsWhetherThereWasOne) {
  Map map;
  map.Set("a", 1);
  EXPECT_FALSE(map.Erase("b"));
  EXPECT_TRUE(map.Erase("a"));
  EXPECT_FALSE(map.Erase("a"));
  EXPECT_TRUE(map.empty());
}

TEST(PersistentMapTest, ScanStopsWhenToldTo) {
  Map map;
  for (uint64_t i = 0; i < 1000; ++i) {
    map.Set(KeyAt(i), 0);
  }
  int seen = 0;
  map.ScanFrom(KeyAt(500), [&](const std::string&, int) { return ++seen < 3; });
  EXPECT_EQ(seen, 3);
}

// Orders in which trees go wrong: ascending, descending, inward, and erasing in each of them.
TEST(PersistentMapTest, AnyOrderOfKeys) {
  constexpr uint64_t kCount = 3000;
  const auto at = [](int order, uint64_t i) -> uint64_t {
    switch (order) {
      case 0:
        return i;
      case 1:
        return kCount - 1 - i;
      default:
        return i % 2 == 0 ? i / 2 : kCount - 1 - i / 2;
    }
  };
  for (int inserting = 0; inserting < 3; ++inserting) {
    for (int erasing = 0; erasing < 3; ++erasing) {
      Map map;
      Model model;
      for (uint64_t i = 0; i < kCount; ++i) {
        map.Set(KeyAt(at(inserting, i)), static_cast<int>(i));
        model[KeyAt(at(inserting, i))] = static_cast<int>(i);
      }
      ExpectSame(map, model);
      for (uint64_t i = 0; i < kCount; ++i) {
        ASSERT_TRUE(map.Erase(KeyAt(at(erasing, i))));
        model.erase(KeyAt(at(erasing, i)));
        if (i % 500 == 0) {
          ExpectSame(map, model);
        }
      }
      ExpectSame(map, model);
      map.Set("again", 1);
      EXPECT_EQ(*map.Find("again"), 1);
    }
  }
}

// A map beside std::map under random writes, while copies taken on the way stay what they were.
class PersistentMapPropertyTest : public testing::TestWithParam<uint64_t> {
 protected:
  void Step(std::mt19937_64& random, uint64_t keys) {
    const std::string key = KeyAt(random() % keys);
    const uint64_t dice = random() % 100;
    if (dice < write_percent_) {
      const int value = static_cast<int>(random() % 1000);
      map_.Set(key, value);
      model_[key] = value;
    } else if (dice < 97) {
      ASSERT_EQ(map_.Erase(std::string_view(key)), model_.erase(key) == 1);
    } else if (dice == 97) {
      copies_.emplace_back(map_, model_);
    } else if (dice == 98 && !copies_.empty()) {
      copies_.erase(copies_.begin() + static_cast<long>(random() % copies_.size()));
    } else {
      ExpectSameScan(map_, model_, key);
    }
    if (random() % 2000 == 0) {
      write_percent_ = 20 + random() % 70;  // phases of growing and of shrinking
    }
  }

  Map map_;
  Model model_;
  std::vector<std::pair<Map, Model>> copies_;
  uint64_t write_percent_ = 60;
};

TEST_P(PersistentMapPropertyTest, EqualsStdMapAndCopiesStay) {
  std::mt19937_64 random(TestSeed());
  for (int step = 0; step < 20'000; ++step) {
    Step(random, GetParam());
    if (HasFatalFailure()) {
      return;
    }
    if (copies_.size() > 20) {
      copies_.erase(copies_.begin());
    }
  }
  ExpectSame(map_, model_);
  for (const auto& [map, model] : copies_) {
    ExpectSame(map, model);
  }
}

INSTANTIATE_TEST_SUITE_P(Keys, PersistentMapPropertyTest, testing::Values(1, 40, 2'000, 100'000));

TEST(PersistentMapTest, WritingToACopyLeavesTheOriginal) {
  Map original;
  Model model;
  for (uint64_t i = 0; i < 2000; ++i) {
    original.Set(KeyAt(i), static_cast<int>(i));
    model[KeyAt(i)] = static_cast<int>(i);
  }
  Map copy = original;
  for (uint64_t i = 0; i < 2000; ++i) {
    if (i % 3 == 0) {
      copy.Erase(KeyAt(i));
    } else {
      copy.Set(KeyAt(i), -1);
    }
  }
  ExpectSame(original, model);
}

// For the thread sanitizer: readers hold copies while the writer goes on in place.
TEST(PersistentMapTest, ReadersOfCopiesNeedNoLock) {
  constexpr int kReaders = 3;
  constexpr uint64_t kKeys = 500;
  std::mutex mu;
  Map shared;  // guarded by mu; what a copy is taken from
  bool done = false;
  const uint64_t seed = TestSeed();
  {
    std::vector<std::jthread> readers;
    for (int r = 0; r < kReaders; ++r) {
      readers.emplace_back([&] {
        for (bool last = false; !last;) {
          Map copy;
          {
            std::lock_guard lock(mu);
            copy = shared;
            last = done;
          }
          size_t seen = 0;
          int sum = 0;
          copy.ForEach([&](const std::string&, int value) {
            ++seen;
            sum += value;
          });
          ASSERT_EQ(seen, copy.size());
          ASSERT_EQ(sum, static_cast<int>(seen)) << "every value is 1";
        }
      });
    }
    std::mt19937_64 random(seed);
    Map mine;
    for (int step = 0; step < 20'000; ++step) {
      const std::string key = KeyAt(random() % kKeys);
      if (random() % 3 == 0) {
        mine.Erase(key);
      } else {
        mine.Set(key, 1);
      }
      if (step % 7 == 0) {
        std::lock_guard lock(mu);
        shared = mine;
      }
    }
    std::lock_guard lock(mu);
    done = true;
  }
  SUCCEED();
}

}  // namespace
}  // namespace logbook
