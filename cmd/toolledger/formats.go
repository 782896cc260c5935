package main

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"toolledger/capture"
	"toolledger/query"
)

var formatsCommand = command{
	name:  "formats",
	args:  "[NAME]",
	nargs: -1,
	short: "list the formats that import reads",
	long: `
With NAME, show what of that format becomes what of an entry.`,
	example: `
$ toolledger formats toolreplay
toolreplay: a transcript of ToolReplay, sealed or not

index, tool, args, response the same members
digest, prev of a sealed one checked; the digest in metadata.source_digest
the file's name             session`,
	setup: func(*pflag.FlagSet) func(stdio, []string) error { return listFormats },
}

func listFormats(std stdio, args []string) error {
	if len(args) > 1 {
		return &usageError{msg: "formats: expected at most one NAME", help: "formats"}
	}
	if len(args) == 0 {
		width := 0
		for _, f := range capture.Formats {
			width = max(width, len(f.Name))
		}
		for _, f := range capture.Formats {
			if err := write(std.out, fmt.Sprintf("%-*s  %s\n", width, f.Name, f.Short)); err != nil {
				return err
			}
		}
		return nil
	}
	f := capture.FormatOf(args[0])
	if f == nil {
		return &usageError{msg: fmt.Sprintf("formats: no format %q%s; 'toolledger formats' lists them", args[0], query.DidYouMean(args[0], importFormats()))}
	}
	return write(std.out, fmt.Sprintf("%s: %s\n\n%s\n", f.Name, f.Short, strings.TrimPrefix(f.Maps, "\n")))
}

// importFormats returns the names of all formats.
func importFormats() (names []string) {
	for _, f := range capture.Formats {
		names = append(names, f.Name)
	}
	return names
}
