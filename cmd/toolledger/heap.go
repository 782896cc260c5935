package main

import (
	"runtime"
	"runtime/debug"
)

const (
	queryHeap = 32 << 20  // what most queries use, beside what is in use before
	loadHeap  = 256 << 20 // what an import has in use
)

// growHeap makes the heap larger by n bytes that the system is to give in huge pages. The
// runtime asks for 4 MiB at a time, and gets them a page of 4 KiB at a time, when it is first
// touched: a query spent a third of its time on that. What it has once it uses again, so
// that room which is given up at once does it.
func growHeap(n int) {
	percent := debug.SetGCPercent(-1) // else the room would start a collection itself
	room := make([]byte, n)           // is not touched
	adviseHuge(room)
	runtime.KeepAlive(room)
	runtime.GC()
	debug.SetGCPercent(percent)
}
