#!/bin/sh
# Runs the audit of two transcripts, and of a ledger of them, with the toolledger on
# the PATH, shows each command with what it prints, and fails if one ends otherwise
# than it should.
cd "$(dirname "$0")" || exit

# run STATUS COMMAND...
run() {
	want=$1
	shift
	printf '$ %s\n' "$*"
	"$@"
	got=$?
	if [ "$got" -ne "$want" ]; then
		echo "demo: exit status $got, expected $want" >&2
		exit 1
	fi
	echo
}

echo "A session in which nothing is wrong:"
run 0 toolledger replay session-clean.jsonl

echo "One in which a call is repeated, and another gives a different answer the second time:"
run 1 toolledger replay session-dirty.jsonl

echo "Its agent may read; it wrote:"
run 1 toolledger scope session-dirty.jsonl scope.json

echo "Sealed, every call holds the digest of the one before:"
run 0 toolledger seal session-dirty.jsonl
run 0 toolledger verify sealed.jsonl

echo "Somebody changed 3 hits to 4 afterwards:"
run 1 toolledger verify tampered.jsonl

echo "Both in a ledger: every entry chained, durable, in one tree:"
dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT
TOOLLEDGER=$dir/demo.ledger
export TOOLLEDGER
run 0 toolledger import session-dirty.jsonl session-clean.jsonl
run 0 toolledger append '{"session":"live","agent":"docs-writer","tool":"delete_file","phase":"ATTEMPT","authorization":"DENIED","policy":"no-deletes"}'
run 0 toolledger verify
run 0 toolledger check

echo "An auditor takes a session away, and checks it without the ledger:"
run 0 toolledger export --session live
toolledger export > "$dir/evidence.jsonl"
run 0 toolledger verify "$dir/evidence.jsonl"
