package query

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"
)

// literalValue returns the value of a number, a timespan, or a literal such as
// datetime(2026-01-02).
func literalValue(t *lexer.Token) (Value, error) {
	wrong := func(what string) error {
		return &Error{Msg: fmt.Sprintf("%s is not %s", t.Value, what), Offset: t.Pos.Offset, End: t.Pos.Offset + len(t.Value)}
	}
	switch t.Type {
	case tokenTimespan:
		ticks, _ := parseTimespanLiteral(t.Value)
		return TimespanOf(ticks), nil
	case tokenNumber:
		v, ok := parseNumber(t.Value)
		if !ok {
			return v, wrong("a number that fits")
		}
		return v, nil
	}
	end := 0
	for isWord(t.Value[end]) {
		end++
	}
	name, body := t.Value[:end], t.Value[end:]
	body = strings.TrimSpace(strings.TrimSuffix(body[spaceSize(body)+1:], ")"))
	kind, _ := kindOf(name)
	if body == "null" || body == "" {
		return NullOf(kind), nil
	}
	if body != "" && stringPrefix(body) >= 0 {
		s, ok := unquoteLiteral(body)
		if !ok {
			return Value{}, wrong("a " + kind.String())
		}
		if kind == Dynamic {
			return DynamicOf(quoteJSON(s)), nil
		}
		body = s
	}
	v, ok := literalOf(kind, body)
	if !ok {
		return v, wrong("a " + kind.String())
	}
	return v, nil
}

// literalOf reads what stands in the parentheses of a literal.
func literalOf(kind Kind, body string) (Value, bool) {
	switch kind {
	case Datetime:
		return parseDatetime(body)
	case Timespan:
		if ticks, ok := parseTimespanLiteral(body); ok {
			return TimespanOf(ticks), true
		}
		if days, err := strconv.ParseInt(body, 10, 32); err == nil {
			return TimespanOf(days * 864e9), true
		}
		ticks, ok := parseTimespan(body)
		return TimespanOf(ticks), ok
	case Dynamic:
		return dynamicLiteral(body)
	case Decimal:
		return parseDecimal(body)
	case Guid, Bool:
		v := convert(StringOf(body), kind)
		return v, !v.Null
	case Real:
		switch strings.ToLower(body) {
		case "nan", "+inf", "-inf", "inf":
			f, err := strconv.ParseFloat(body, 64)
			return RealOf(f), err == nil
		}
	}
	negative := strings.HasPrefix(body, "-")
	v, ok := parseNumber(strings.TrimPrefix(strings.TrimPrefix(body, "-"), "+"))
	if negative && ok {
		v = negated(v)
	}
	switch {
	case ok && kind == Real:
		return RealOf(v.Real()), true
	case !ok || v.Kind != Long, kind == Int && v.N != int64(int32(v.N)):
		return v, false
	}
	return Value{Kind: kind, N: v.N}, true
}

// parseNumber reads a number without a sign.
func parseNumber(text string) (Value, bool) {
	if strings.HasPrefix(text, "0x") || strings.HasPrefix(text, "0X") {
		n, err := strconv.ParseUint(text[2:], 16, 64)
		return LongOf(int64(n)), err == nil
	}
	if strings.ContainsAny(text, ".eE") {
		f, err := strconv.ParseFloat(text, 64)
		return RealOf(f), err == nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil && text == leastLong {
		return NullOf(Long), true // means something behind a minus, in a datatable
	}
	return LongOf(n), err == nil
}

func negated(v Value) Value {
	switch {
	case v.Null:
	case v.Kind == Real:
		return RealOf(-v.Real())
	case v.Kind == Decimal:
		d := decimalOf(v)
		return decimal{d.coef.Neg(d.coef), d.scale}.value()
	default:
		v.N = -v.N
	}
	return v
}

// dynamicLiteral reads JSON, in which strings may be in single quotes, and literals such
// as datetime(2026-01-02) may stand.
func dynamicLiteral(body string) (Value, bool) {
	if text, ok := parseJSON(body); ok {
		return DynamicOf(text), numbersFit(text)
	}
	tokens, err := lex(body)
	if err != nil {
		return Value{}, false
	}
	var b strings.Builder
	for _, t := range tokens {
		switch {
		case t.EOF():
		case t.Type == tokenString:
			s, ok := unquoteLiteral(t.Value)
			if !ok {
				return Value{}, false
			}
			b.WriteString(quoteJSON(s))
		case t.Type == tokenTimespan || t.Type == tokenLiteral:
			v, err := literalValue(&t)
			if err != nil {
				return Value{}, false
			}
			b.WriteString(jsonOf(v))
		default:
			b.WriteString(t.Value)
		}
	}
	text, ok := parseJSON(b.String())
	return DynamicOf(text), ok && numbersFit(text)
}

// numbersFit tells whether all numbers in a JSON text are within what a real can be. One
// that is written in a query must be; those of a ledger keep their digits.
func numbersFit(json string) bool {
	for i := 0; i < len(json); i++ {
		switch {
		case json[i] == '"':
			for i++; json[i] != '"'; i++ {
				if json[i] == '\\' {
					i++
				}
			}
		case isDigit(json[i]):
			from := i
			for i+1 < len(json) && strings.IndexByte("0123456789.eE+-", json[i+1]) >= 0 {
				i++
			}
			if _, err := strconv.ParseFloat(json[from:i+1], 64); err != nil {
				return false
			}
		}
	}
	return true
}
