// Package capture is how calls get in: it reads the files in which other
// programs leave what their agents did.
//
// A file of JSON Lines is read once, in blocks of whole lines. All cores parse
// blocks while one goroutine, the caller's, reads ahead and takes the results
// in the order of the lines. So a file of any size needs the memory of a few
// blocks, and one long line no more than a few times its own length.
package capture
