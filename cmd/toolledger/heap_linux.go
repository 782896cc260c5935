package main

import "syscall"

// adviseHuge asks for huge pages where the system gives them to who asks. It may have none.
func adviseHuge(room []byte) { syscall.Madvise(room, syscall.MADV_HUGEPAGE) }
