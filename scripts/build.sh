#!/usr/bin/env bash
# Builds what is shipped: build/release. With PRESET=debug and the like, another one of CMakePresets.json.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

"$root/scripts/bootstrap.sh"
build "${PRESET:-release}" "$@"
