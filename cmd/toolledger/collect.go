package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
)

const (
	// leastGarbage is how much there is before it is collected: most commands, and queries that
	// read two columns of 1,000,000 entries, end before,
	// and to collect next to nothing takes as long as to start a process.
	leastGarbage = 24 << 20
	leastHeap    = 4 << 20 // what the runtime takes the percentage of at least
)

var collections atomic.Int64 // calls of collectAt: the last one counts

// collectAt sets how much garbage, in percent of what is in use, starts a collection, unless
// the environment does.
func collectAt(percent int) {
	if os.Getenv("GOGC") == "" {
		collectAfter(percent, collections.Add(1), 0)
	}
}

// collectAfter sets when to collect, and does so again after each collection, since a heap
// that shrinks would be given back to the system only to be asked for again.
func collectAfter(percent int, call int64, inUse uint64) {
	debug.SetGCPercent(max(percent, leastGarbage*100/int(max(inUse, leastHeap))))
	runtime.AddCleanup(new([32]byte), func(call int64) { // with the next collection
		if collections.Load() == call {
			live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
			metrics.Read(live)
			collectAfter(percent, call, live[0].Value.Uint64())
		}
	}, call)
}

// spareProcessor lets one more goroutine run at a time than the machine has processors, unless
// the environment says how many. Where a query keeps all of them busy, what takes an interrupt
// waits behind it, often for 50 ms and at times for 200; so the system shares them out.
func spareProcessor() {
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + 1)
	}
}
