package query

// texts is what Kusto takes where it wants a string: the text of a dynamic value is used.
// As that of a null is empty, these functions are asked about nulls, too.
var texts = of(String, Dynamic)

// stringFuncs is the table of functions of strings. Many take values of any type and use
// them as tostring writes them.
var stringFuncs = []Func{
	{
		Name: "base64_decode_tostring", Usage: "base64_decode_tostring(text)", Doc: "The text that base64 stands for; empty if that is no UTF-8.",
		Example: `base64_decode_tostring("S3VzdG8=") == "Kusto"`,
		Params:  []kinds{texts}, Result: fixed(String), Eval: base64Decode, Nulls: true,
	},
	{
		Name: "base64_encode_tostring", Usage: "base64_encode_tostring(text)", Doc: "The base64 of a text.",
		Example: `base64_encode_tostring("Kusto") == "S3VzdG8="`,
		Params:  []kinds{texts}, Result: fixed(String), Eval: base64Encode, Nulls: true,
	},
	{
		Name: "countof", Usage: `countof(text, search [, "normal" or "regex"])`, Doc: "How often search is in a text; plain matches may overlap.",
		Example: `countof("aaaa", "aa") == 3 and countof("abcabc", "a.c", "regex") == 2`,
		Params:  []kinds{texts, texts, strs}, Min: 2, Result: fixed(Long), Bind: bindCountof, Nulls: true,
	},
	{
		Name: "extract", Usage: "extract(regex, group, text [, typeof(type)])", Doc: "A group of the first match, 0 being all of it; empty or null if there is none.",
		Example: `extract(@"(\d+)-(\d+)", 2, "a 12-34") == "34"`,
		Params:  []kinds{strs, longs, texts, strs}, Min: 3, Result: extractKind, Bind: bindExtract, Nulls: true,
	},
	{
		Name: "extract_all", Usage: "extract_all(regex, [groups,] text)", Doc: "The groups of all matches: an array, of arrays if there are several groups; null if there is no match.",
		Example: `tostring(extract_all(@"([a-z])(\d)", "a1 b2")) == '[["a","1"],["b","2"]]'`,
		Params:  []kinds{strs, texts, texts}, Min: 2, Result: fixed(Dynamic), Bind: bindExtractAll, Nulls: true,
	},
	{
		Name: "has_any_index", Usage: "has_any_index(text, array)", Doc: "The place in an array of the first value that a text has as a term; -1 if there is none.",
		Example: `has_any_index("this is an example", dynamic(["not", "example"])) == 1`,
		Params:  []kinds{texts, of(Dynamic)}, Result: fixed(Long), Bind: bindHasAnyIndex, Nulls: true,
	},
	{
		Name: "hash_md5", Usage: "hash_md5(value)", Doc: "The MD5 of a value as text, in hexadecimal.",
		Example: `hash_md5("World") == "f5a7924e621e84c9280a9a27e1bcb7f6"`,
		Params:  []kinds{anyKind &^ of(Dynamic)}, Result: fixed(String), Eval: hashMD5,
	},
	{
		Name: "hash_sha1", Usage: "hash_sha1(value)", Doc: "The SHA-1 of a value as text, in hexadecimal.",
		Example: `hash_sha1("World") == "70c07ec18ef89c5309bbb0937f3a6342411e1fdd"`,
		Params:  []kinds{anyKind &^ of(Dynamic)}, Result: fixed(String), Eval: hashSHA1,
	},
	{
		Name: "hash_sha256", Usage: "hash_sha256(value)", Doc: "The SHA-256 of a value as text, in hexadecimal.",
		Example: `hash_sha256("World") == "78ae647dc5544d227130a0682a51e30bc7777fbb6d8a8f17007463a3ecd1d524"`,
		Params:  []kinds{anyKind &^ of(Dynamic)}, Result: fixed(String), Eval: hashSHA256,
	},
	{
		Name: "indexof", Usage: "indexof(text, search [, start [, length [, occurrence]]])", Doc: "The place of search in a text, in characters; -1 if it is not there. It begins at one of length places from start on.",
		Example: `indexof("abcdefgabcdefg", "cde", 1, 10, 2) == 9`,
		Params:  []kinds{anyKind, anyKind, longs, longs, longs}, Min: 2, Result: indexofKind, Eval: indexof, Nulls: true,
	},
	{
		Name: "isascii", Usage: "isascii(value)", Doc: "Whether a text is ASCII.",
		Example: `isascii("abc") and not(isascii("é"))`,
		Params:  []kinds{anyKind}, Result: fixed(Bool), Nulls: true, Eval: func(a []Value) Value { return BoolOf(isASCII(toString(a[0]))) },
	},
	{
		Name: "isempty", Usage: "isempty(value)", Doc: "Whether a value is null or its text is empty.",
		Example: `isempty("") and isempty(long(null)) and not(isempty(0))`,
		Params:  []kinds{anyKind}, Result: fixed(Bool), Nulls: true, Eval: func(a []Value) Value { return BoolOf(isEmpty(a[0])) },
	},
	{
		Name: "isnotempty", Usage: "isnotempty(value)", Doc: "Whether a value is neither null nor of an empty text.",
		Example: `isnotempty("a") and not(isnotempty(""))`,
		Params:  []kinds{anyKind}, Result: fixed(Bool), Nulls: true, Eval: func(a []Value) Value { return BoolOf(!isEmpty(a[0])) },
	},
	{
		Name: "isnotnull", Usage: "isnotnull(value)", Doc: "Whether a value is not null; a string never is.",
		Example: `isnotnull("") and not(isnotnull(int(null)))`,
		Params:  []kinds{anyKind}, Result: fixed(Bool), Nulls: true, Eval: func(a []Value) Value { return BoolOf(!isNull(a[0])) },
	},
	{
		Name: "isnull", Usage: "isnull(value)", Doc: "Whether a value is null; a string never is.",
		Example: `isnull(int(null)) and not(isnull(""))`,
		Params:  []kinds{anyKind}, Result: fixed(Bool), Nulls: true, Eval: func(a []Value) Value { return BoolOf(isNull(a[0])) },
	},
	{
		Name: "isutf8", Usage: "isutf8(value)", Doc: "Whether a text is UTF-8.",
		Example: `isutf8("é")`,
		Params:  []kinds{anyKind}, Result: fixed(Bool), Nulls: true, Eval: isUTF8,
	},
	{
		Name: "make_string", Usage: "make_string(code or array [, ...])", Doc: "The old name of unicode_codepoints_to_string.",
		Example: `make_string(75, 117) == "Ku"`,
		Params:  []kinds{of(Int, Long, Dynamic)}, Min: 1, Variadic: true, Result: atMost("make_string", 64, String), Eval: fromCodePoints, Nulls: true,
	},
	{
		Name: "notempty", Usage: "notempty(value)", Doc: "The old name of isnotempty.",
		Example: `notempty("a") and not(notempty(""))`,
		Params:  []kinds{anyKind}, Result: fixed(Bool), Nulls: true, Eval: func(a []Value) Value { return BoolOf(!isEmpty(a[0])) },
	},
	{
		Name: "notnull", Usage: "notnull(value)", Doc: "The old name of isnotnull.",
		Example: `notnull(1) and not(notnull(int(null)))`,
		Params:  []kinds{anyKind}, Result: fixed(Bool), Nulls: true, Eval: func(a []Value) Value { return BoolOf(!isNull(a[0])) },
	},
	{
		Name: "parse_csv", Usage: "parse_csv(text)", Doc: "The fields of the first record of CSV.",
		Example: `tostring(parse_csv('aa,"b,""c"""')) == '["aa","b,\\"c\\""]'`,
		Params:  []kinds{texts}, Result: fixed(Dynamic), Eval: parseCSV, Nulls: true, KeepsName: true,
	},
	{
		Name: "replace", Usage: "replace(regex, rewrite, text)", Doc: "The old form of replace_regex.",
		Example: `replace("b+", "-", "abba") == "a-a"`,
		Params:  []kinds{strs, strs, texts}, Result: fixed(String), Bind: bindReplace(2, 0, 1), Nulls: true,
	},
	{
		Name: "replace_regex", Usage: "replace_regex(text, regex, rewrite)", Doc: `All matches are replaced; \0 in rewrite is the match, \1 its first group.`,
		Example: `replace_regex("Number is 1", @"is (\d+)", @"was: \1") == "Number was: 1"`,
		Params:  []kinds{texts, strs, strs}, Result: fixed(String), Bind: bindReplace(0, 1, 2), Nulls: true,
	},
	{
		Name: "replace_string", Usage: "replace_string(text, search, rewrite)", Doc: "All that is search is replaced; an empty search replaces nothing.",
		Example: `replace_string("abcb", "b", "1") == "a1c1"`,
		Params:  []kinds{texts, texts, texts}, Result: fixed(String), Eval: replaceString, Nulls: true,
	},
	{
		Name: "replace_strings", Usage: "replace_strings(text, searches, rewrites)", Doc: "Each search is replaced by the rewrite in the same place of its array; what an earlier one has matched stays.",
		Example: `replace_strings("This is", dynamic(["is", "Th"]), dynamic(["was", "T"])) == "Twas was"`,
		Params:  []kinds{texts, of(Dynamic), of(Dynamic)}, Result: fixed(String), Eval: replaceStrings, Nulls: true,
	},
	{
		Name: "reverse", Usage: "reverse(value)", Doc: "The characters of a value in reverse order.",
		Example: `reverse("abc") == "cba" and reverse(123.45) == "54.321"`,
		Params:  []kinds{anyKind}, Result: fixed(String), Eval: reverse, Nulls: true,
	},
	{
		Name: "split", Usage: "split(text, delimiter [, index])", Doc: "The parts of a text between delimiters, or an array of one of them.",
		Example: `tostring(split("a__b", "_")) == '["a","","b"]' and tostring(split("a_b_c", "_", 1)) == '["b"]'`,
		Params:  []kinds{anyKind, texts, longs}, Min: 2, Result: splitKind, Eval: split, Nulls: true, KeepsName: true,
	},
	{
		Name: "strcat", Usage: "strcat(value [, ...])", Doc: "The texts of values, one after the other.",
		Example: `strcat("a", "-", 123, true) == "a-123True"`,
		Params:  []kinds{anyKind}, Min: 1, Variadic: true, Result: atMost("strcat", 64, String), Eval: strcat, Nulls: true,
	},
	{
		Name: "strcat_array", Usage: "strcat_array(array, delimiter)", Doc: "The texts of the values of an array, with a delimiter between them.",
		Example: `strcat_array(dynamic([1, null, "b"]), "->") == "1->->b"`,
		Params:  []kinds{of(Dynamic), anyKind}, Result: fixed(String), Eval: strcatArray, Nulls: true,
	},
	{
		Name: "strcat_delim", Usage: "strcat_delim(delimiter, value, value [, ...])", Doc: "The texts of values, with a delimiter between them.",
		Example: `strcat_delim("-", 1, "2", "A", 1s) == "1-2-A-00:00:01"`,
		Params:  []kinds{anyKind}, Min: 3, Variadic: true, Result: atMost("strcat_delim", 65, String), Eval: strcatDelim, Nulls: true,
	},
	{
		Name: "strcmp", Usage: "strcmp(a, b)", Doc: "-1, 0 or 1, as the text of a is before, the same as or after that of b.",
		Example: `strcmp("ABC", "abc") == -1`,
		Params:  []kinds{anyKind, anyKind}, Result: fixed(Long), Eval: strcmp, Nulls: true,
	},
	{
		Name: "string_size", Usage: "string_size(text)", Doc: "How many bytes a text has.",
		Example: `string_size("café") == 5`,
		Params:  []kinds{texts}, Result: fixed(Long), Nulls: true, Eval: func(a []Value) Value { return LongOf(int64(len(toString(a[0])))) },
	},
	{
		Name: "strlen", Usage: "strlen(text)", Doc: "How many characters (code points) a text has.",
		Example: `strlen("café") == 4`,
		Params:  []kinds{texts}, Result: fixed(Long), Eval: strlen, Nulls: true,
	},
	{
		Name: "strrep", Usage: "strrep(value, times [, delimiter])", Doc: "The text of a value again and again, 1024 times at most.",
		Example: `strrep(123, 3, ".") == "123.123.123"`,
		Params:  []kinds{anyKind, longs, anyKind}, Min: 2, Result: strrepKind, Eval: strrep, Nulls: true,
	},
	{
		Name: "substring", Usage: "substring(text, start [, length])", Doc: "Part of a text; a negative start counts from its end.",
		Example: `substring("abcdef", 2, 3) == "cde" and substring("abcdef", -2) == "ef"`,
		Params:  []kinds{anyKind, longs, longs}, Min: 2, Result: fixed(String), Eval: substring, Nulls: true,
	},
	{
		Name: "to_utf8", Usage: "to_utf8(value)", Doc: "The old name of unicode_codepoints_from_string.",
		Example: `tostring(to_utf8("Ku")) == "[75,117]"`,
		Params:  []kinds{anyKind}, Result: fixed(Dynamic), Eval: toCodePoints, Nulls: true,
	},
	{
		Name: "tolower", Usage: "tolower(value)", Doc: "A text in lower case.",
		Example: `tolower("ÉA") == "éa"`,
		Params:  []kinds{anyKind}, Result: fixed(String), Eval: toLower, Nulls: true,
	},
	{
		Name: "toupper", Usage: "toupper(value)", Doc: "A text in upper case.",
		Example: `toupper("éa") == "ÉA"`,
		Params:  []kinds{anyKind}, Result: fixed(String), Eval: toUpper, Nulls: true,
	},
	{
		Name: "translate", Usage: "translate(characters, replacements, text)", Doc: "Each character of a list is replaced by the one in the same place of another, or by its only one, or by nothing if that is empty.",
		Example: `translate("krasp", "otsku", "spark") == "kusto"`,
		Params:  []kinds{strs, strs, texts}, Result: fixed(String), Bind: bindTranslate, Nulls: true,
	},
	{
		Name: "trim", Usage: "trim(regex, text)", Doc: "A text without one match at its beginning and one at its end.",
		Example: `trim("x", "xxabcxx") == "xabcx" and trim(@"\s+", "  a ") == "a"`,
		Params:  []kinds{strs, texts}, Result: fixed(String), Bind: bindTrim(true, true), Nulls: true,
	},
	{
		Name: "trim_end", Usage: "trim_end(regex, text)", Doc: "A text without one match at its end.",
		Example: `trim_end(@"\s+", " a  ") == " a"`,
		Params:  []kinds{strs, texts}, Result: fixed(String), Bind: bindTrim(false, true), Nulls: true,
	},
	{
		Name: "trim_start", Usage: "trim_start(regex, text)", Doc: "A text without one match at its beginning.",
		Example: `trim_start("https://", "https://bing.com") == "bing.com"`,
		Params:  []kinds{strs, texts}, Result: fixed(String), Bind: bindTrim(true, false), Nulls: true,
	},
	{
		Name: "unicode_codepoints_from_string", Usage: "unicode_codepoints_from_string(value)", Doc: "The code points of a text.",
		Example: `tostring(unicode_codepoints_from_string("Ku")) == "[75,117]"`,
		Params:  []kinds{anyKind}, Result: fixed(Dynamic), Eval: toCodePoints, Nulls: true,
	},
	{
		Name: "unicode_codepoints_to_string", Usage: "unicode_codepoints_to_string(code or array [, ...])", Doc: "The text of code points; empty if one is none.",
		Example: `unicode_codepoints_to_string(dynamic([75, 117]), 115) == "Kus"`,
		Params:  []kinds{of(Int, Long, Dynamic)}, Min: 1, Variadic: true, Result: atMost("unicode_codepoints_to_string", 64, String), Eval: fromCodePoints, Nulls: true,
	},
	{
		Name: "url_decode", Usage: "url_decode(text)", Doc: "The text that a URL's escapes stand for; + is a space.",
		Example: `url_decode("https%3a%2f%2fwww.bing.com%2f") == "https://www.bing.com/"`,
		Params:  []kinds{texts}, Result: fixed(String), Eval: urlDecode, Nulls: true,
	},
	{
		Name: "url_encode", Usage: "url_encode(text)", Doc: "A text as part of a URL, a space as +.",
		Example: `url_encode("a b/c") == "a+b%2fc"`,
		Params:  []kinds{texts}, Result: fixed(String), Nulls: true, Eval: func(a []Value) Value { return urlEncode(a[0], "+") },
	},
	{
		Name: "url_encode_component", Usage: "url_encode_component(text)", Doc: "A text as part of a URL, a space as %20.",
		Example: `url_encode_component("a b/c") == "a%20b%2fc"`,
		Params:  []kinds{texts}, Result: fixed(String), Nulls: true, Eval: func(a []Value) Value { return urlEncode(a[0], "%20") },
	},
}
