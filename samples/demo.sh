#!/bin/sh
# Runs the audit of two transcripts with the toolledger on the PATH, shows each
# command with what it prints, and fails if one ends otherwise than it should.
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

run 0 toolledger version
