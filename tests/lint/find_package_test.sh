#!/usr/bin/env bash
# Whether another project can use what `cmake --install` leaves behind.
#
#   find_package_test.sh CMAKE BUILD_DIR COMPILER
set -euo pipefail

cmake=$1 build=$2 compiler=$3
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
dir=$(mktemp -d "${TMPDIR:-/tmp}/logbook-install.XXXXXX")
trap 'rm -rf "$dir"' EXIT

"$cmake" --install "$build" --prefix "$dir/installed" >"$dir/install.log" 2>&1 || {
  # a build of some targets only, as for a sanitizer, has nothing to install
  if grep -q 'cannot find' "$dir/install.log"; then
    echo "not all libraries are built, so nothing to install"
    exit 77
  fi
  cat "$dir/install.log"
  exit 1
}
"$cmake" -S "$here/consumer" -B "$dir/consumer" -DCMAKE_PREFIX_PATH="$dir/installed" \
  -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_BUILD_TYPE=Release
"$cmake" --build "$dir/consumer"
"$dir/consumer/consumer"
# nothing installed may point back into the checkout
if grep -rlI -F -e "$build" "$dir/installed"; then
  echo "the files above name the build directory"
  exit 1
fi
