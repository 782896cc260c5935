package audit

import (
	"errors"
	"slices"
	"strings"
)

// A folder is one that paths may be inside of. What it says of a path it says of the text
// alone: no file is looked at, so a symbolic link is what it is called.
//
// Paths are cleaned before they are compared, so that docs/../../etc is not inside docs, and
// docs//./a is. A folder that begins with a drive, or has a backslash, is one of Windows; so
// are then the paths, with either slash, and A to Z in either case. Whoever cannot be
// understood for certain is outside:
//
//   - a relative path, of a folder that is not, and the other way round;
//   - one that a program may take for something else: ~user/a, file:a, a NUL byte, names of
//     dots and spaces alone;
//   - of Windows C:a, which depends on where drive C is, names that end in a dot or a space,
//     which Windows drops, names with a colon, and \\?\ before what is not clean;
//   - with a backslash, where the folder is none of Windows, if a program of Windows would
//     find it outside.
type folder struct {
	windows bool
	path    cleanPath
}

// A cleanPath is a path without . and // and with .. only where it leads out of where it
// begins.
type cleanPath struct {
	volume   string // of Windows: `c:`, or `\\server\share`
	absolute bool
	names    []string
}

// folderOf reads the name of a folder.
func folderOf(text string) (f folder, err error) {
	f.windows = strings.Contains(text, `\`) || len(text) > 1 && text[1] == ':' && isLetter(text[0])
	clean, ok := cleanPosix(text, "/")
	if f.windows {
		clean, ok = cleanWindows(text)
	}
	if !ok {
		return f, errors.New(`expected a folder, as /srv/docs, docs, C:\docs or \\server\share\docs, found `)
	}
	f.path = clean
	return f, nil
}

// contains tells whether a path is inside of the folder, or the folder itself.
func (f *folder) contains(path string) bool {
	if f.windows {
		p, ok := cleanWindows(path)
		return ok && f.holds(p)
	}
	p, ok := cleanPosix(path, "/")
	if !ok || !f.holds(p) {
		return false
	}
	if strings.Contains(path, `\`) {
		p, ok = cleanPosix(path, `/\`)
		return ok && f.holds(p)
	}
	return true
}

func (f *folder) holds(p cleanPath) bool {
	n := len(f.path.names)
	if n > 0 && f.path.names[n-1] == ".." { // above where paths begin
		return !p.absolute && (len(p.names) <= n || p.names[n] != "..")
	}
	return p.volume == f.path.volume && p.absolute == f.path.absolute && len(p.names) >= n &&
		slices.Equal(p.names[:n], f.path.names) && (len(p.names) == n || p.names[n] != "..")
}

// cleanPosix cleans a path whose names stand between the separators, and tells whether it is
// clear what it means.
func cleanPosix(path, separators string) (p cleanPath, ok bool) {
	if path == "" || path[0] == '~' || strings.Contains(path, "\x00") {
		return p, false
	}
	p.absolute = strings.IndexByte(separators, path[0]) >= 0
	names := strings.FieldsFunc(path, func(r rune) bool { return strings.ContainsRune(separators, r) })
	if !p.absolute && strings.Contains(names[0], ":") {
		return p, false
	}
	return p, p.add(names)
}

// cleanWindows is cleanPosix by the rules of Windows.
func cleanWindows(path string) (p cleanPath, ok bool) {
	if path == "" || path[0] == '~' || strings.Contains(path, "\x00") {
		return p, false
	}
	rest, verbatim := path, false
	for _, prefix := range []string{`\\?\`, `\\.\`, `\??\`} {
		if after, ok := strings.CutPrefix(rest, prefix); ok {
			rest, verbatim = after, true
			if share, ok := cutFold(after, `UNC\`); ok {
				rest = `\\` + share
			}
			break
		}
	}
	if verbatim && !isPlainVerbatim(rest) {
		return p, false
	}
	rest = lowerASCII(strings.ReplaceAll(rest, "/", `\`))
	switch {
	case len(rest) > 2 && rest[1] == ':' && rest[2] == '\\' && isLetter(rest[0]):
		p.volume, p.absolute, rest = rest[:2], true, rest[2:]
	case strings.HasPrefix(rest, `\\`):
		parts := strings.SplitN(rest[2:], `\`, 3)
		if len(parts) < 2 || !isWindowsName(parts[0]) || !isWindowsName(parts[1]) {
			return p, false
		}
		p.volume, p.absolute = `\\`+parts[0]+`\`+parts[1], true
		rest = strings.Join(parts[2:], "")
	case rest[0] == '\\', verbatim: // on a drive that depends
		return p, false
	}
	names := strings.FieldsFunc(rest, func(r rune) bool { return r == '\\' })
	for _, name := range names {
		if name != "." && name != ".." && !isWindowsName(name) {
			return p, false
		}
	}
	return p, p.add(names)
}

// add adds names, and takes away those that .. leads out of. It is false for names of dots
// and spaces, which some systems take for . or ..
func (p *cleanPath) add(names []string) bool {
	for _, name := range names {
		last := len(p.names) - 1
		switch {
		case name == ".":
		case name != "..":
			if strings.Trim(name, ". ") == "" {
				return false
			}
			p.names = append(p.names, name)
		case last >= 0 && p.names[last] != "..":
			p.names = p.names[:last]
		case !p.absolute:
			p.names = append(p.names, "..")
		}
	}
	return true
}

// isWindowsName tells whether Windows takes a name as it is written.
func isWindowsName(name string) bool {
	return name != "" && !strings.Contains(name, ":") && !strings.HasSuffix(name, ".") && !strings.HasSuffix(name, " ")
}

// isPlainVerbatim tells whether what follows \\?\, which Windows takes as it is written, has
// nothing that it would otherwise clean.
func isPlainVerbatim(path string) bool {
	if strings.Contains(path, "/") {
		return false
	}
	for _, name := range strings.Split(strings.TrimPrefix(path, `\\`), `\`) {
		if name == "" || name == "." || name == ".." {
			return false
		}
	}
	return true
}

func cutFold(text, prefix string) (string, bool) {
	if len(text) < len(prefix) || !strings.EqualFold(text[:len(prefix)], prefix) {
		return text, false
	}
	return text[len(prefix):], true
}

// lowerASCII puts A to Z into lower case. Other letters are left: which of them Windows
// takes for one depends on the disk.
func lowerASCII(text string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, text)
}

func isLetter(b byte) bool { return 'a' <= b|0x20 && b|0x20 <= 'z' }
