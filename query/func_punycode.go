package query

import (
	"math"
	"strings"
	"unicode/utf8"
)

// punycodeFuncs are the functions of Punycode (RFC 3492), by which names of hosts have
// characters that are not ASCII. They do not change case.
var punycodeFuncs = []Func{
	{
		Name: "punycode_domain_from_string", Usage: "punycode_domain_from_string(domain)", Doc: "The domain with its labels that begin with xn-- as they are read; empty if one is none.",
		Example: `punycode_domain_from_string("xn--Lin-8na.Celtchair.org") == "Lúin.Celtchair.org"`,
		Params:  []kinds{strs}, Result: fixed(String),
		Eval: func(a []Value) Value { return eachLabel(a[0].S, decodeLabel) },
	},
	{
		Name: "punycode_domain_to_string", Usage: "punycode_domain_to_string(domain)", Doc: "The domain with its labels that are not ASCII in Punycode, with xn-- before.",
		Example: `punycode_domain_to_string("Lúin.Celtchair.org") == "xn--Lin-8na.Celtchair.org"`,
		Params:  []kinds{strs}, Result: fixed(String),
		Eval: func(a []Value) Value { return eachLabel(a[0].S, encodeLabel) },
	},
	{
		Name: "punycode_from_string", Usage: "punycode_from_string(text)", Doc: "The text in Punycode.",
		Example: `punycode_from_string("académie-française") == "acadmie-franaise-npb1a"`,
		Params:  []kinds{strs}, Result: fixed(String),
		Eval: func(a []Value) Value {
			out, _ := toPunycode(a[0].S)
			return StringOf(out)
		},
	},
	{
		Name: "punycode_to_string", Usage: "punycode_to_string(text)", Doc: "The text that Punycode stands for; empty if it is none.",
		Example: `punycode_to_string("acadmie-franaise-npb1a") == "académie-française"`,
		Params:  []kinds{strs}, Result: fixed(String),
		Eval: func(a []Value) Value {
			out, _ := ofPunycode(a[0].S)
			return StringOf(out)
		},
	},
}

// labelEnds are the characters that may stand between labels.
var labelEnds = strings.NewReplacer("\u3002", ".", "\uff0e", ".", "\uff61", ".")

func eachLabel(domain string, f func(label string) (string, bool)) Value {
	labels := strings.Split(labelEnds.Replace(domain), ".")
	for i, label := range labels {
		out, ok := f(label)
		if !ok {
			return StringOf("")
		}
		labels[i] = out
	}
	return StringOf(strings.Join(labels, "."))
}

func decodeLabel(label string) (string, bool) {
	if len(label) < 4 || !strings.EqualFold(label[:4], "xn--") {
		return label, true
	}
	return ofPunycode(label[4:])
}

func encodeLabel(label string) (string, bool) {
	if isASCIIText(label) {
		return label, true
	}
	out, ok := toPunycode(label)
	return "xn--" + out, ok
}

func isASCIIText(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
}

// The parameters of RFC 3492, section 5.
const (
	punyBase  = 36
	punyTMin  = 1
	punyTMax  = 26
	punySkew  = 38
	punyDamp  = 700
	punyBias  = 72
	punyFirst = 128
)

// punyAdapt is the adaptation of the bias, section 6.1.
func punyAdapt(delta, points int, first bool) int {
	if first {
		delta /= punyDamp
	} else {
		delta /= 2
	}
	delta += delta / points
	k := 0
	for ; delta > (punyBase-punyTMin)*punyTMax/2; k += punyBase {
		delta /= punyBase - punyTMin
	}
	return k + (punyBase-punyTMin+1)*delta/(delta+punySkew)
}

// punyThreshold is t(k), of section 3.3.
func punyThreshold(k, bias int) int { return min(max(k-bias, punyTMin), punyTMax) }

func punyDigit(n int) byte {
	if n < 26 {
		return byte('a' + n)
	}
	return byte('0' + n - 26)
}

func punyValue(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c-'0') + 26
	case c|0x20 >= 'a' && c|0x20 <= 'z':
		return int(c | 0x20 - 'a')
	}
	return punyBase
}

// toPunycode encodes a text, section 6.3.
func toPunycode(text string) (string, bool) {
	runes := []rune(text)
	var out []byte
	for _, r := range runes {
		if r < punyFirst {
			out = append(out, byte(r))
		}
	}
	done := len(out)
	basic := done
	if basic > 0 {
		out = append(out, '-')
	}
	n, delta, bias := rune(punyFirst), 0, punyBias
	for done < len(runes) {
		next := rune(math.MaxInt32)
		for _, r := range runes {
			if r >= n {
				next = min(next, r)
			}
		}
		if delta += int(next-n) * (done + 1); delta > math.MaxInt32 {
			return "", false
		}
		n = next
		for _, r := range runes {
			if r < n {
				delta++
			}
			if r != n {
				continue
			}
			out = punyAppend(out, delta, bias)
			bias, delta = punyAdapt(delta, done+1, done == basic), 0
			done++
		}
		delta++
		n++
	}
	return string(out), true
}

// punyAppend writes delta as a number of variable length.
func punyAppend(out []byte, delta, bias int) []byte {
	for k := punyBase; ; k += punyBase {
		t := punyThreshold(k, bias)
		if delta < t {
			return append(out, punyDigit(delta))
		}
		out = append(out, punyDigit(t+(delta-t)%(punyBase-t)))
		delta = (delta - t) / (punyBase - t)
	}
}

// ofPunycode decodes a text, section 6.2.
func ofPunycode(text string) (string, bool) {
	if !isASCIIText(text) {
		return "", false
	}
	var out []rune
	if at := strings.LastIndexByte(text, '-'); at >= 0 {
		out, text = []rune(text[:at]), text[at+1:]
	}
	n, i, bias := punyFirst, 0, punyBias
	for text != "" {
		before, weight := i, 1
		for k := punyBase; ; k += punyBase {
			if text == "" {
				return "", false
			}
			digit := punyValue(text[0])
			text = text[1:]
			if digit >= punyBase {
				return "", false
			}
			if i += digit * weight; i > math.MaxInt32 {
				return "", false
			}
			t := punyThreshold(k, bias)
			if digit < t {
				break
			}
			if weight *= punyBase - t; weight > math.MaxInt32 {
				return "", false
			}
		}
		bias = punyAdapt(i-before, len(out)+1, before == 0)
		n += i / (len(out) + 1)
		i %= len(out) + 1
		if n > utf8.MaxRune || !utf8.ValidRune(rune(n)) {
			return "", false
		}
		out = append(out[:i], append([]rune{rune(n)}, out[i:]...)...)
		i++
	}
	return string(out), true
}
