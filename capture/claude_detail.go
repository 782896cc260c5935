package capture

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"strconv"

	"toolledger/chain"
)

// Claude Code writes, beside the result that the agent was shown, a structured one: toolUseResult. It has what
// the text does not (stderr apart, interrupted, what an edit changed, whether the user changed it
// before), and also what the entry has already, and whole files as they were before an edit. It goes to
// metadata.tool_use_result:
//
//   - A value of some size that stands in the response to the letter is {"in":"response"}.
//   - The text of a file, or of the arguments again, is {"bytes":n,"sha256":hex} of its UTF-8: enough to prove
//     which one it was.
//   - All else is kept whole.

// claudeBulk are the members that are the text of a file or of an argument.
var claudeBulk = map[string]bool{
	"originalFile": true, "oldString": true, "newString": true, "content": true, "base64": true,
	"old_source": true, "new_source": true, "original_file": true, "updated_file": true,
	"prompt": true, "plan": true,
}

// bulkSize is from how many bytes on a value is kept by reference only.
const bulkSize = 256

// claudeDetail returns what is kept of a structured result, nil for nothing.
func claudeDetail(v, response Value) Value {
	if !v.Has() {
		return nil
	}
	if text := v.Text(); text != "" {
		// An error in the words of the response.
		if bytes.Contains(response, innerOf(TextValue(bare(text)))) {
			return nil
		}
	}
	return appendDetail(nil, "", v, response)
}

func appendDetail(dst Value, name string, v, response Value) Value {
	switch {
	case len(v) >= 64 && isIn(v, response):
		return append(dst, `{"in":"response"}`...)
	case v.IsText() && len(v) >= bulkSize && claudeBulk[name]:
		text := v.Text()
		sum := sha256.Sum256([]byte(text))
		dst = strconv.AppendInt(append(dst, `{"bytes":`...), int64(len(text)), 10)
		return append(append(append(dst, `,"sha256":"`...), hex.EncodeToString(sum[:])...), `"}`...)
	case !v.IsObject():
		return append(dst, v...)
	}
	dst = append(dst, '{')
	first := true
	for name, value := range chain.Members(v) {
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = append(append(dst, name...), ':')
		dst = appendDetail(dst, string(name[1:len(name)-1]), value, response)
	}
	return append(dst, '}')
}

// isIn tells whether a response has a value, or a string as part of one of its own.
func isIn(v, response Value) bool {
	if v.IsText() {
		return bytes.Contains(response, innerOf(v))
	}
	return (v.IsObject() || v.IsArray()) && bytes.Contains(response, v)
}

// innerOf returns a string without its quotes, escaped as it is.
func innerOf(v Value) []byte { return v[1 : len(v)-1] }

// claudeDuration returns how long a call took in milliseconds, as its structured result has it: "" if it does not.
func claudeDuration(v Value) string {
	for _, name := range []string{"durationMs", "totalDurationMs"} {
		if d := v.Get(name); d.IsNumber() {
			return string(d)
		}
	}
	if d := v.Get("durationSeconds"); d.IsNumber() {
		if seconds, ok := d.Float(); ok && seconds >= 0 && seconds < 1e9 {
			return strconv.FormatFloat(seconds*1000, 'f', -1, 64)
		}
	}
	return ""
}
