# demo   audits the samples and shows what it finds
# test   runs every test, and those in interop with programs that others wrote, whose modules
#        the product does not need; all runs it and the checks that a commit must pass
# race   runs the tests under the race detector (needs a C compiler)
# fuzz   runs each fuzz target for FUZZTIME
# golden writes the expected outputs anew, those that a script compares with cmp; lines
#        that it gives itself are changed by hand; and the plans of queries and the lists of
#        the manual. Read the difference before you commit it
# crash  flips every bit of many proofs, and a bit of every byte of a small ledger; kills
#        writers 300 times and looks for what was acknowledged; then cuts the power
#        of a disk at 200 places, on each file system there is, and looks again. The cuts
#        need root, FUSE and loop devices on Linux, and are left out without
# bench  measures: our micro figures, and whole processes beside openssl
# lint   gofmt, go vet and staticcheck
# build  puts the command into bin/; without cgo, whose loading takes 1.5 ms of each start

GO       ?= go
FUZZTIME ?= 20s
BENCHMB  ?= 700

.PHONY: all build demo test interop race fuzz golden crash bench lint

all: lint test

build:
	CGO_ENABLED=0 $(GO) build -trimpath -o bin/ ./cmd/toolledger

demo: build
	@PATH="$(CURDIR)/bin:$$PATH" sh samples/demo.sh

test: interop
	$(GO) test -timeout 20m ./...

interop:
	@if (cd interop && $(GO) mod download); then cd interop && $(GO) vet ./... && $(GO) test ./...; \
		else echo "interop is left out: its modules cannot be had"; fi

race:
	$(GO) test -race -timeout 20m $(RACEFLAGS) ./...

# go test fuzzes one target of one package at a time. At the end of its time it may fail
# for that alone ("context deadline exceeded"), so it gets a second try: an input that
# it found is kept in testdata and fails again.
fuzz:
	@set -e; for pkg in $$($(GO) list ./...); do \
		for target in $$($(GO) test -list '^Fuzz' $$pkg | grep '^Fuzz' || true); do \
			echo "$$pkg $$target"; \
			run="$(GO) test -run ^$$ -fuzz ^$$target\$$ -fuzztime $(FUZZTIME) $$pkg"; \
			$$run || $$run; \
		done; \
	done

golden:
	$(GO) test ./query -run 'TestPlans|TestManual' -rewrite
	$(GO) test ./cmd/toolledger -run TestScript -update

crash:
	PROOF_BITS=all $(GO) test -run TestProofs -timeout 60m ./chain
	CRASH_ROUNDS=300 FLIPS=0 $(GO) test -run Crash -timeout 90m -v ./db
	POWERCUT_POINTS=200 $(GO) test -tags powercut -run PowerCut -timeout 60m -v ./db

bench:
	$(GO) test -run '^$$' -bench . -benchtime 1s ./chain ./db/... ./query
	BENCHMB=$(BENCHMB) $(GO) test -run '^$$' -bench . -benchtime 1x -timeout 30m ./cmd/toolledger

lint:
	@test -z "$$(gofmt -l .)" || { echo "gofmt would change:"; gofmt -l .; exit 1; }
	$(GO) vet ./...
	$(GO) tool -modfile=.ci/tools.mod staticcheck ./...
