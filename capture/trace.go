package capture

import (
	"encoding/base64"
	"encoding/hex"
	"strings"
)

// Lengths of W3C ids in bytes.
const (
	traceBytes = 16
	spanBytes  = 8
)

// traceID brings the id of a trace to the form of W3C, 32 small hexadecimal digits: from capitals,
// a leading 0x, base64, and from Jaeger's form, which leaves out leading zeros. Anything else is as it was;
// an id of zeros is none.
func traceID(id string) string { return w3cID(id, traceBytes) }

// spanID does the same for the id of a span, of 16 digits.
func spanID(id string) string { return w3cID(id, spanBytes) }

func w3cID(id string, size int) string {
	digits := strings.ToLower(strings.TrimPrefix(strings.TrimPrefix(id, "0x"), "0X"))
	if len(digits) == base64.StdEncoding.EncodedLen(size) && len(digits) != 2*size {
		if b, err := base64.StdEncoding.DecodeString(id); err == nil && len(b) == size {
			digits = hex.EncodeToString(b)
		}
	}
	if digits == "" || len(digits) > 2*size || strings.Trim(digits, "0123456789abcdef") != "" {
		return id
	}
	if strings.Trim(digits, "0") == "" {
		return ""
	}
	return strings.Repeat("0", 2*size-len(digits)) + digits
}

// traceparent returns the ids of the trace and of the calling span that a W3C header names, "" if it is none.
func traceparent(header string) (trace, span string) {
	p := strings.Split(header, "-")
	if len(p) < 4 || len(p[0]) != 2 || len(p[1]) != 2*traceBytes || len(p[2]) != 2*spanBytes {
		return "", ""
	}
	return traceID(p[1]), spanID(p[2])
}
