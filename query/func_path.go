package query

import (
	"errors"
	"strings"
)

// pathFuncs take URLs, paths of files and command lines apart.
var pathFuncs = []Func{
	{
		Name: "parse_command_line", Usage: `parse_command_line(text, "windows")`, Doc: "The arguments of a command line, as Windows divides it.",
		Example: `tostring(parse_command_line("echo \"hello world!\"", "windows")) == '["echo","hello world!"]'`,
		Params:  []kinds{strs, strs}, Result: commandLineKind,
		Eval: func(a []Value) Value {
			if a[0].S == "" {
				return NullOf(Dynamic)
			}
			return arrayOfStrings(windowsArguments(a[0].S))
		},
	},
	{
		Name: "parse_path", Usage: "parse_path(path)", Doc: "The parts of the path of a file, with \\ or / between them.",
		Example: `parse_path(@"C:\temp\file.txt").Filename == "file.txt"`,
		Params:  []kinds{strs}, Result: fixed(Dynamic),
		Eval: func(a []Value) Value { return fileParts(a[0].S) },
	},
	{
		Name: "parse_url", Usage: "parse_url(url)", Doc: "The parts of a URL, as they are written.",
		Example: `parse_url("https://host:1234/a/path?k=v#part").Path == "/a/path"`,
		Params:  []kinds{strs}, Result: fixed(Dynamic),
		Eval: func(a []Value) Value { return parseURL(a[0].S) },
	},
	{
		Name: "parse_urlquery", Usage: "parse_urlquery(query)", Doc: "The parameters of the query of a URL, as they are written.",
		Example: `parse_urlquery("k1=v1&k2=v2")["Query Parameters"].k2 == "v2"`,
		Params:  []kinds{strs}, Result: fixed(Dynamic),
		Eval: func(a []Value) Value {
			return bagOf([]string{"Query Parameters"}, []Value{queryParameters(strings.TrimPrefix(a[0].S, "?"))})
		},
	},
}

// parseURL takes SCHEME://USER:PASSWORD@HOST:PORT/PATH?QUERY#FRAGMENT apart. Without a
// scheme there is no host.
func parseURL(text string) Value {
	rest, fragment, _ := strings.Cut(text, "#")
	rest, query, _ := strings.Cut(rest, "?")
	scheme, after, absolute := strings.Cut(rest, "://")
	path, host, port, user, password := rest, "", "", "", ""
	if absolute {
		host, path = after, ""
		if at := strings.IndexByte(after, '/'); at >= 0 {
			host, path = after[:at], after[at:]
		}
		if at := strings.LastIndexByte(host, '@'); at >= 0 {
			user, password, _ = strings.Cut(host[:at], ":")
			host = host[at+1:]
		}
		if at := strings.LastIndexByte(host, ':'); at > strings.LastIndexByte(host, ']') {
			host, port = host[:at], host[at+1:]
		}
	} else {
		scheme = ""
	}
	return bagOf(
		[]string{"Scheme", "Host", "Port", "Path", "Username", "Password", "Query Parameters", "Fragment"},
		[]Value{StringOf(scheme), StringOf(host), StringOf(port), StringOf(path), StringOf(user), StringOf(password), queryParameters(query), StringOf(fragment)})
}

// queryParameters makes a bag of "a=1&b=2".
func queryParameters(query string) Value {
	var names []string
	var values []Value
	for _, part := range strings.Split(query, "&") {
		if name, value, _ := strings.Cut(part, "="); name != "" {
			names, values = append(names, name), append(values, StringOf(value))
		}
	}
	return bagOf(names, values)
}

// fileParts takes SCHEME://ROOT/DIRECTORIES/NAME.EXTENSION:STREAM apart.
func fileParts(text string) Value {
	scheme, path, ok := strings.Cut(text, "://")
	if !ok {
		scheme, path = "", text
	}
	root := ""
	if len(path) > 1 && path[1] == ':' && path[0]|0x20 >= 'a' && path[0]|0x20 <= 'z' {
		root = path[:2]
	}
	at := strings.LastIndexAny(path, `/\`)
	directory, name := path[:max(at, 0)], path[at+1:]
	parent := strings.TrimPrefix(directory, root)
	parent = parent[strings.LastIndexAny(parent, `/\`)+1:]
	name, stream, _ := strings.Cut(name, ":")
	extension := ""
	if dot := strings.LastIndexByte(name, '.'); dot >= 0 {
		extension = name[dot+1:]
	}
	names := []string{"Scheme", "RootPath", "DirectoryPath", "DirectoryName", "Filename", "Extension", "AlternateDataStreamName"}
	var values []Value
	for _, part := range []string{scheme, root, directory, parent, name, extension, stream} {
		values = append(values, StringOf(part))
	}
	return bagOf(names, values)
}

func commandLineKind(args []Arg) (Kind, error) {
	if how := args[1].Const; how == nil || !strings.EqualFold(how.S, "windows") {
		return 0, errors.New(`parse_command_line: the second argument is "windows"`)
	}
	return Dynamic, nil
}

// windowsArguments divides a command line as CommandLineToArgvW does: at white space outside
// of quotes; 2n backslashes before a quote are n, and one more makes the quote a character.
// The first argument, a program, has no backslashes that mean more.
func windowsArguments(line string) (list []string) {
	program, rest := line, ""
	if after, ok := strings.CutPrefix(line, `"`); ok {
		program, rest, _ = strings.Cut(after, `"`)
	} else if at := strings.IndexAny(line, " \t"); at >= 0 {
		program, rest = line[:at], line[at:]
	}
	list = append(list, program)
	for {
		if rest = strings.TrimLeft(rest, " \t"); rest == "" {
			return list
		}
		var argument string
		argument, rest = windowsArgument(rest)
		list = append(list, argument)
	}
}

func windowsArgument(text string) (argument, rest string) {
	var b strings.Builder
	quoted := false
	for i := 0; i < len(text); i++ {
		slashes := 0
		for i+slashes < len(text) && text[i+slashes] == '\\' {
			slashes++
		}
		if at := i + slashes; slashes > 0 {
			if at == len(text) || text[at] != '"' {
				b.WriteString(text[i:at])
				i = at - 1
				continue
			}
			b.WriteString(text[i : i+slashes/2])
			if i = at; slashes%2 == 1 {
				b.WriteByte('"')
				continue
			}
		}
		switch c := text[i]; {
		case c == '"' && quoted && strings.HasPrefix(text[i+1:], `"`): // "" in quotes is a quote
			b.WriteByte('"')
			i++
		case c == '"':
			quoted = !quoted
		case !quoted && (c == ' ' || c == '\t'):
			return b.String(), text[i:]
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), ""
}
