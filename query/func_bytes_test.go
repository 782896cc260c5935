package query

import "testing"

// TestByteFuncs has the answers of the documentation, and what is no base64, Punycode or
// packed text.
func TestByteFuncs(t *testing.T) {
	for _, c := range []struct{ expr, want string }{
		{`base64_decode_toarray("S3VzdG8=")`, "[75,117,115,116,111]"},
		{`base64_decode_toarray("")`, "[]"},
		{`base64_decode_toarray("U3RyaW5n0KHR0tGA0L7Rh9C60LA")`, "-"}, // no = at the end
		{`base64_encode_fromarray(base64_decode_toarray("S3VzdG8="))`, "S3VzdG8="},
		{`base64_encode_fromarray(dynamic([256]))`, ""},
		{`base64_encode_fromarray(dynamic([1.5]))`, ""},
		{`base64_encode_fromarray(dynamic(null))`, ""},
		{`base64_encode_fromguid(toguid("ae3133f2-6e22-49ae-b06a-16e6a9b212eb"))`, "8jMxriJurkmwahbmqbIS6w=="},
		{`base64_encode_fromguid(guid(null))`, ""},
		{`gzip_decompress_from_base64_string("H4sIAAAAAAAA/wEUAOv/MTIzNDU2Nzg5MHF3ZXJ0eXVpb3A6m7f2FAAAAA==")`, "1234567890qwertyuiop"},
		{`gzip_decompress_from_base64_string("H4sIAAAAAAAA/wEUAOv/MTIzNDU2Nzg5MHF3ZXJ0eXVpb3A6m7f2FQAAAA==")`, ""}, // a wrong length
		{`gzip_decompress_from_base64_string("x0x0x0")`, ""},
		{`zlib_decompress_from_base64_string("eAEBFADr/zEyMzQ1Njc4OTBxd2VydHl1aW9wOAkGdw==")`, "1234567890qwertyuiop"},
		{`zlib_decompress_from_base64_string("x0x0x0")`, ""},
		{`punycode_from_string("académie-française")`, "acadmie-franaise-npb1a"},
		{`punycode_from_string("艺术")`, "cqv902d"},
		{`punycode_to_string("cqv902d")`, "艺术"},
		{`punycode_to_string("acadmie-franaise-npb1a")`, "académie-française"},
		{`punycode_to_string("99999999")`, ""},
		{`punycode_to_string("ü")`, ""},
		{`punycode_domain_from_string("xn--Ge-mia.Bulg.edu")`, "Gáe.Bulg.edu"},
		{`punycode_domain_from_string("xn--Ry-lja8c.xn--Jng-uta63a.xn--Bng-9ka.com")`, "Rúyì.Jīngū.Bàng.com"},
		{`punycode_domain_to_string("Lê Lợi。Thuận Thiên。com")`, "xn--L Li-gpa4517b.xn--Thun Thin-s4a7194f.com"},
		{`punycode_domain_to_string("Riðill｡Skáldskaparmál｡org")`, "xn--Riill-jta.xn--Skldskaparml-dbbj.org"},
		{`punycode_domain_to_string("Kaledvoulc'h.Artorījos.edu")`, "Kaledvoulc'h.xn--Artorjos-ejb.edu"},
	} {
		if got := joinResult(t, New(Options{}), "print r = "+c.expr); got != "r: "+c.want {
			t.Errorf("%s is %s, want %s", c.expr, got, c.want)
		}
	}
}
