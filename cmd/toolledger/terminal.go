package main

import (
	"io"
	"os"
	"strconv"

	"golang.org/x/term"
)

// A screen is a way to a terminal, as a pager is.
type screen struct {
	io.Writer
	terminal *os.File
}

// fileOf returns the file that w is or that is behind it, nil if that is none.
func fileOf(w io.Writer) *os.File {
	switch w := w.(type) {
	case *os.File:
		return w
	case screen:
		return w.terminal
	}
	return nil
}

// isTerminal tells whether a person reads w, on what can move a cursor.
func isTerminal(w io.Writer) bool {
	f := fileOf(w)
	return f != nil && term.IsTerminal(int(f.Fd())) && os.Getenv("TERM") != "dumb"
}

// terminalWidth returns how many columns the terminal w has, as COLUMNS or it says.
func terminalWidth(w io.Writer) int {
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	if f := fileOf(w); f != nil {
		if n, _, err := term.GetSize(int(f.Fd())); err == nil && n > 0 {
			return n
		}
	}
	return 80
}

// inColor tells whether to write colours: as --color says, or to a terminal where NO_COLOR
// (no-color.org) does not forbid it.
func inColor(when string, w io.Writer) bool {
	switch when {
	case "always":
		return true
	case "never":
		return false
	}
	return os.Getenv("NO_COLOR") == "" && isTerminal(w)
}

// terminalHeight returns how many lines the terminal w has, 0 if it is none or does not say.
func terminalHeight(w io.Writer) int {
	if n, err := strconv.Atoi(os.Getenv("LINES")); err == nil && n > 0 && isTerminal(w) {
		return n
	}
	if f := fileOf(w); f != nil {
		if _, n, err := term.GetSize(int(f.Fd())); err == nil && n > 0 {
			return n
		}
	}
	return 0
}
