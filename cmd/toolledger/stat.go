package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"toolledger/db"
	"toolledger/query"
)

var statCommand = command{
	name:  "stat",
	nargs: 0,
	short: "say what a ledger holds, and how large it is",
	example: `
$ toolledger stat -l my.ledger`,
	setup: func(flags *pflag.FlagSet) func(stdio, []string) error {
		var f ledgerFlags
		f.declare(flags)
		keys := flags.Bool("keys", false, "say what takes how many bytes of the store, which looks at every key")
		format := flags.String("format", "text", "`FORMAT`: text or prometheus")
		return func(std stdio, _ []string) error {
			if *format != "text" && *format != "prometheus" {
				return &usageError{msg: fmt.Sprintf("stat: --format: expected text or prometheus, found %q", *format)}
			}
			return f.read(func(ctx context.Context, led *db.Ledger, damage error) error {
				st, err := led.Stats()
				if err != nil {
					return errors.Join(damage, err)
				}
				text := statText(&st, lastCheckpoint(led))
				if *format == "prometheus" {
					text = statPrometheus(&st)
				}
				if *keys {
					sizes, err := led.Sizes(ctx)
					if err != nil {
						return errors.Join(damage, err)
					}
					text += sizesText(sizes, *format)
				}
				return errors.Join(write(std.out, text), damage)
			})
		}
	},
}

func statText(st *db.Stats, checkpoint string) string {
	var b strings.Builder
	line := func(name string, value any) { fmt.Fprintf(&b, "%-10s %v\n", name, value) }
	line("entries", st.Entries)
	line("sessions", st.Sessions)
	line("blocks", st.Blocks)
	line("tail", st.Tail)
	line("root", fmt.Sprintf("%x", st.Root[:]))
	for _, kind := range slices.Sorted(maps.Keys(st.Bytes)) {
		line(kind, fmt.Sprint(st.Bytes[kind], " bytes"))
	}
	if st.First != st.Last || st.First.Ticks != 0 {
		line("first", st.First)
		line("last", st.Last)
	}
	line("recorded", st.Recorded)
	line("checkpoint", query.Visible(checkpoint))
	line("encrypted", map[bool]string{true: "yes", false: "no"}[st.Encrypted])
	if st.Commit > 0 {
		line("commit", st.Commit)
	}
	return b.String()
}

func sizesText(sizes []db.Size, format string) string {
	var b strings.Builder
	if format == "prometheus" {
		b.WriteString("# HELP toolledger_store_bytes Bytes of keys and values in the store, by kind.\n# TYPE toolledger_store_bytes gauge\n")
		for _, s := range sizes {
			fmt.Fprintf(&b, "toolledger_store_bytes{kind=%q} %d\n", s.Kind, s.Bytes)
		}
		return b.String()
	}
	for _, s := range sizes {
		fmt.Fprintf(&b, "%12d bytes  %8d keys  %s\n", s.Bytes, s.Keys, s.Kind)
	}
	return b.String()
}

func statPrometheus(st *db.Stats) string {
	var b strings.Builder
	gauge := func(name, help string, value any) {
		fmt.Fprintf(&b, "# HELP toolledger_%s %s\n# TYPE toolledger_%[1]s gauge\ntoolledger_%[1]s %[3]v\n", name, help, value)
	}
	gauge("entries", "Entries in the ledger.", st.Entries)
	gauge("sessions", "Sessions in the ledger, its own included.", st.Sessions)
	gauge("blocks", "Column blocks.", st.Blocks)
	gauge("tail_entries", "Entries that are in no block yet.", st.Tail)
	gauge("recorded_timestamp_seconds", "When the last entry was taken.", st.Recorded.Time().Unix())
	gauge("commit_seconds", "Median of the last commits.", st.Commit.Seconds())
	fmt.Fprintf(&b, "# HELP toolledger_disk_bytes Bytes on disk, by kind.\n# TYPE toolledger_disk_bytes gauge\n")
	for _, kind := range slices.Sorted(maps.Keys(st.Bytes)) {
		fmt.Fprintf(&b, "toolledger_disk_bytes{kind=%q} %d\n", kind, st.Bytes[kind])
	}
	return b.String()
}
