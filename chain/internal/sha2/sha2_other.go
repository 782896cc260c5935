//go:build !amd64

package sha2

// pairs is false where the messages are hashed one at a time.
const pairs = false

func sum2(sum, sum2 *[32]byte, p, p2 *byte, blocks, more int) { panic("sha2: no pairs here") }
