# The words of kubebuilder with kubebuilder's meaning, over CMake. `make help` lists them.

# A resource that is to be deleted and is not there: false = an error, true = fine.
ignore-not-found ?= false
# The image that `make deploy` puts into the Deployment.
IMG ?= controller:latest
KUBECTL ?= kubectl
# The program, and where `make run` keeps its journal.
LOGBOOK ?= build/release/src/cmd/logbook
DATA_DIR ?= run.log.d

MAKEFLAGS += --no-print-directory
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := build

##@ General

.PHONY: help
help: ## Show this help.
	@awk 'BEGIN {FS = ":.*##"; printf "Usage: make \033[36m<target>\033[0m\n"} \
	  /^[a-zA-Z_0-9-]+:.*?##/ { printf "  \033[36m%-12s\033[0m %s\n", $$1, $$2 } \
	  /^##@/ { printf "\n\033[1m%s\033[0m\n", substr($$0, 5) }' $(MAKEFILE_LIST)

.PHONY: demo
demo: ## See a SimpleApp come to life on a real control plane, and what the journal says about it.
	@scripts/demo.sh

##@ Development

.PHONY: build
build: ## Build what is shipped, into build/release. PRESET=debug for another one.
	@scripts/build.sh

.PHONY: test
test: ## Build and test; ends with "N passed, N failed, N skipped".
	@scripts/test.sh

.PHONY: test-full
test-full: ## Also the thread sanitizer, clang, lint, fuzzing and the long tests.
	@scripts/test.sh --full

.PHONY: fuzz
fuzz: ## Fuzz each target of tests/fuzz for a minute.
	@scripts/fuzz.sh

.PHONY: lint
lint: ## Check format, clang-tidy, headers on their own, scripts.
	@scripts/lint.sh

.PHONY: fmt
fmt: ## Format the sources in place.
	@git ls-files -co --exclude-standard '*.h' '*.cc' | xargs clang-format -i

.PHONY: bench
bench: ## Run the benchmarks of bench/ and print their numbers.
	@scripts/bench.sh

.PHONY: manifests
manifests: ## Check deploy/: CRD and RBAC are written by hand for now, nothing is generated.
	@scripts/manifests.sh

.PHONY: generate
generate: manifests ## The same: there is no generated code in the tree, the build makes what it needs.

##@ Run

.PHONY: cluster
cluster: ## Start a real control plane and print its KUBECONFIG; Ctrl-C stops and removes it.
	@scripts/cluster.sh

.PHONY: run
run: build ## Run the operator against your current kubeconfig, outside the cluster.
	$(LOGBOOK) manager --data-dir "$(DATA_DIR)"

##@ Deployment

.PHONY: install
install: ## Install the CRD into the cluster of your kubeconfig.
	$(KUBECTL) apply -k deploy/crd

.PHONY: uninstall
uninstall: ## Remove the CRD, and with it every SimpleApp. ignore-not-found=true tolerates its absence.
	$(KUBECTL) delete --ignore-not-found=$(ignore-not-found) -k deploy/crd

.PHONY: deploy
deploy: ## Deploy the operator with image IMG, its CRD and RBAC.
	$(KUBECTL) kustomize deploy/default | sed 's|image: controller:latest|image: $(IMG)|' | $(KUBECTL) apply -f -

.PHONY: undeploy
undeploy: ## Remove what deploy made. ignore-not-found=true tolerates its absence.
	$(KUBECTL) delete --ignore-not-found=$(ignore-not-found) -k deploy/default
