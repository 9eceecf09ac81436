#include "reference.h"

#include <utility>

#include "acknowledgements.h"
#include "scratch.h"
#include <gtest/gtest.h>

#include "logbook/store/inspect.h"

namespace logbook::crash {
namespace {

void Add(Faults more, Faults& faults) {
  for (std::string& fault : more) {
    faults.push_back(std::move(fault));
  }
}

}  // namespace

Reference::Reference() {
  const Scratch scratch;
  const Ending ending = RunDriver({.workplace = scratch.workplace()});
  EXPECT_TRUE(ending.done()) << ending.ToString();
  const absl::StatusOr<Contents> contents = ReadContents(scratch.workplace().store());
  EXPECT_TRUE(contents.ok()) << contents.status();
  undisturbed_ = contents.value_or(Contents());
  EXPECT_EQ(Check(scratch.workplace()), Faults());
}

Faults Reference::Check(const Workplace& place) const {
  Faults faults = CheckSound(place.store());
  {
    const auto journal = store::OpenOffline(place.store(), {});
    if (!journal.ok()) {
      return {std::string(journal.status().message())};
    }
    Add(CheckRows(**journal), faults);
    Add(CheckAcknowledged(**journal, ReadAcknowledgements(place.acknowledgements()), false),
        faults);
  }
  const absl::StatusOr<Contents> contents = ReadContents(place.store());
  if (!contents.ok()) {
    faults.emplace_back(contents.status().message());
  } else if (*contents != undisturbed_) {
    faults.push_back(contents->gap ? "a tail was cut off" : "it ended otherwise than undisturbed");
  }
  return faults;
}

}  // namespace logbook::crash
