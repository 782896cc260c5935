#!/bin/sh
# Audits two transcripts, and then a ledger of eight sessions of agents, with the toolledger on
# the PATH: shows each command with what it prints, and fails if one ends otherwise than it
# should. The ledger stays, as demo.ledger in the folder that the demo is called from.
here=$PWD
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

echo "Eight sessions of four agents in a ledger: every entry chained, durable, in one tree:"
TOOLLEDGER=$here/demo.ledger
export TOOLLEDGER
rm -rf "$TOOLLEDGER"
run 0 toolledger import agents.jsonl
run 0 toolledger append '{"session":"live","time":"2026-03-10T10:15:00Z","agent":"docs-writer","tool":"delete_file","phase":"ATTEMPT","authorization":"DENIED","policy":"no-deletes"}'
run 0 toolledger verify
run 0 toolledger check

echo "The rules that a security team runs every night find:"
run 1 toolledger rules --format table

echo "An auditor takes a session away, and checks it without the ledger:"
run 0 toolledger export --session live
evidence=$(mktemp) && trap 'rm -f "$evidence"' EXIT
toolledger export > "$evidence"
run 0 toolledger verify "$evidence"

echo "And asks, as tour.kql does, which reads as an introduction to the language:"
run 0 toolledger shell --no-rc -f tour.kql

echo "The same ledger at a prompt:"
echo
echo "    toolledger shell -l demo.ledger"
