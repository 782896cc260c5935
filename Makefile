# demo   audits the samples and shows what it finds
# test   runs every test; all runs it and the checks that a commit must pass
# race   runs the tests under the race detector (needs a C compiler)
# fuzz   runs each fuzz target for FUZZTIME
# golden writes the expected outputs anew, those that a script compares with cmp; lines
#        that it gives itself are changed by hand. Read the difference before you commit it
# crash  kills writers 300 times and looks for what was acknowledged
# bench  measures: our micro figures, and whole processes beside openssl
# lint   gofmt, go vet and staticcheck
# build  puts the command into bin/

GO       ?= go
FUZZTIME ?= 20s
BENCHMB  ?= 700

.PHONY: all build demo test race fuzz golden crash bench lint

all: lint test

build:
	$(GO) build -trimpath -o bin/ ./cmd/toolledger

demo: build
	@PATH="$(CURDIR)/bin:$$PATH" sh samples/demo.sh

test:
	$(GO) test ./...

race:
	$(GO) test -race $(RACEFLAGS) ./...

# go test fuzzes one target of one package at a time.
fuzz:
	@set -e; for pkg in $$($(GO) list ./...); do \
		for target in $$($(GO) test -list '^Fuzz' $$pkg | grep '^Fuzz' || true); do \
			echo "$$pkg $$target"; \
			$(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) $$pkg; \
		done; \
	done

golden:
	$(GO) test ./cmd/toolledger -run TestScript -update

crash:
	CRASH_ROUNDS=300 $(GO) test -run Crash -timeout 60m -v ./db

bench:
	$(GO) test -run '^$$' -bench . -benchtime 1s ./chain
	BENCHMB=$(BENCHMB) $(GO) test -run '^$$' -bench . -benchtime 1x -timeout 30m ./cmd/toolledger

lint:
	@test -z "$$(gofmt -l .)" || { echo "gofmt would change:"; gofmt -l .; exit 1; }
	$(GO) vet ./...
	$(GO) tool -modfile=.ci/tools.mod staticcheck ./...
