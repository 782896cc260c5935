//go:build !linux

package main

// adviseHuge does nothing: the system decides.
func adviseHuge([]byte) {}
