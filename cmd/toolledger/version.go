package main

import "github.com/spf13/pflag"

var versionCommand = command{
	name:  "version",
	short: "print name and version",
	example: `
$ toolledger version
toolledger ` + version,
	setup: func(*pflag.FlagSet) func(stdio, []string) error {
		return func(std stdio, _ []string) error {
			return write(std.out, "toolledger "+version+"\n")
		}
	},
}
