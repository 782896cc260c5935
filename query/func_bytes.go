package query

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/base64"
	"encoding/hex"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// bytesFuncs are the functions of bytes that base64 stands for.
var bytesFuncs = []Func{
	{
		Name: "base64_decode_toarray", Usage: "base64_decode_toarray(text)", Doc: "The bytes that base64 stands for, as an array of numbers; null if it is none.",
		Example: `tostring(base64_decode_toarray("S3VzdG8=")) == "[75,117,115,116,111]"`,
		Params:  []kinds{strs}, Result: fixed(Dynamic), Eval: base64ToArray,
	},
	{
		Name: "base64_encode_fromarray", Usage: "base64_encode_fromarray(array)", Doc: "The base64 of an array of numbers from 0 to 255; empty if it is none.",
		Example: `base64_encode_fromarray(dynamic([75,117,115,116,111])) == "S3VzdG8="`,
		Params:  []kinds{of(Dynamic)}, Result: fixed(String), Nulls: true, Eval: base64OfArray,
	},
	{
		Name: "base64_encode_fromguid", Usage: "base64_encode_fromguid(guid)", Doc: "The base64 of the 16 bytes of a guid.",
		Example: `base64_encode_fromguid(guid(ae3133f2-6e22-49ae-b06a-16e6a9b212eb)) == "8jMxriJurkmwahbmqbIS6w=="`,
		Params:  []kinds{of(Guid)}, Result: fixed(String), Nulls: true, Eval: base64OfGuid,
	},
	{
		Name: "gzip_decompress_from_base64_string", Usage: "gzip_decompress_from_base64_string(text)", Doc: "The text that gzip made smaller and base64 stands for; empty if it is none, or longer than 16 MiB.",
		Example: `gzip_decompress_from_base64_string("H4sIAAAAAAAA/wEUAOv/MTIzNDU2Nzg5MHF3ZXJ0eXVpb3A6m7f2FAAAAA==") == "1234567890qwertyuiop"`,
		Params:  []kinds{strs}, Result: fixed(String),
		Eval: func(a []Value) Value {
			return inflated(a[0].S, func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) })
		},
	},
	{
		Name: "zlib_decompress_from_base64_string", Usage: "zlib_decompress_from_base64_string(text)", Doc: "The text that zlib made smaller and base64 stands for; empty if it is none, or longer than 16 MiB.",
		Example: `zlib_decompress_from_base64_string("eAEBFADr/zEyMzQ1Njc4OTBxd2VydHl1aW9wOAkGdw==") == "1234567890qwertyuiop"`,
		Params:  []kinds{strs}, Result: fixed(String),
		Eval: func(a []Value) Value {
			return inflated(a[0].S, func(r io.Reader) (io.Reader, error) { return zlib.NewReader(r) })
		},
	},
}

func base64ToArray(a []Value) Value {
	data, err := base64.StdEncoding.DecodeString(a[0].S)
	if err != nil {
		return NullOf(Dynamic)
	}
	text := []byte{'['}
	for i, b := range data {
		if i > 0 {
			text = append(text, ',')
		}
		text = strconv.AppendUint(text, uint64(b), 10)
	}
	return DynamicOf(string(append(text, ']')))
}

func base64OfArray(a []Value) Value {
	if !isArray(a[0]) {
		return StringOf("")
	}
	var data []byte
	for e := range elements(a[0]) {
		n, err := strconv.ParseUint(e.S, 10, 8)
		if err != nil {
			return StringOf("")
		}
		data = append(data, byte(n))
	}
	return StringOf(base64.StdEncoding.EncodeToString(data))
}

// guidOrder has the place in the text of each of a guid's bytes: the first three parts have
// their last byte first.
var guidOrder = [16]int{3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15}

func base64OfGuid(a []Value) Value {
	data, err := hex.DecodeString(strings.ReplaceAll(a[0].S, "-", ""))
	if err != nil || len(data) != len(guidOrder) {
		return StringOf("")
	}
	var out [16]byte
	for i, at := range guidOrder {
		out[i] = data[at]
	}
	return StringOf(base64.StdEncoding.EncodeToString(out[:]))
}

// maxInflated keeps a few bytes from becoming more than a query may hold.
const maxInflated = 16 << 20

func inflated(text string, open func(io.Reader) (io.Reader, error)) Value {
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return StringOf("")
	}
	r, err := open(bytes.NewReader(data))
	if err != nil {
		return StringOf("")
	}
	out, err := io.ReadAll(io.LimitReader(r, maxInflated+1))
	if err != nil || len(out) > maxInflated || !utf8.Valid(out) {
		return StringOf("")
	}
	return StringOf(string(out))
}
