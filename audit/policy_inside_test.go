package audit

import (
	"strings"
	"testing"

	"toolledger/chain"
)

func canonicalOf(text []byte) []byte {
	out, err := chain.Canonical(nil, text)
	if err != nil {
		panic(err)
	}
	return out
}

func TestInside(t *testing.T) {
	for _, c := range []struct {
		folder      string
		in, outside []string
	}{
		{"docs", []string{"docs", "docs/a", "./docs//a", "docs/../docs/a", "docs/a/..", "docs/.hidden", "docs/a:b"},
			[]string{"", "doc", "docs2/a", "Docs/a", "docs/../a", "docs/a/../../b", "../docs/a", "/docs/a", "docs/..\\..\\a", "docs\\a", "docs/.. /x", "docs/...", "docs/a\x00/../..", "~/docs"}},
		{"/srv/docs/", []string{"/srv/docs", "//srv/docs/a", "/srv/./docs//a", "/srv/x/../docs/a", "/../srv/docs/a"},
			[]string{"srv/docs/a", "/srv", "/srv/docs/../a", "/srv/docsx", "/srv/docs/..", "file:///srv/docs/a", `\srv\docs\a`, `/srv/docs/\..\..\a`}},
		{".", []string{".", "a", "a/../b"}, []string{"..", "a/../..", "/a", "~root/a", "file:///etc/passwd", "C:/a", `..\a`, `a\..\..\b`}},
		{"../shared", []string{"../shared/a"}, []string{"../../shared/a", "shared/a", "../shared/../a"}},
		{"..", []string{"../a", "a"}, []string{"../../a", "../a/../.."}},
		{`C:\Work`, []string{`C:\Work`, `c:\work\A`, "C:/Work/a", `C:\x\..\Work\a`, `\\?\C:\Work\a`},
			[]string{`D:\Work\a`, `C:Work\a`, `\Work\a`, `Work\a`, `C:\Work\..\a`, `C:\Work\.. \a`, `C:\Work\...\a`, `C:\Work \a`, `C:\Work\a.`, `C:\Work\a:b`, `\\?\C:\Work\..\a`, `\\?\C:\Work/../a`, `\\?\UNC\C:\Work`, "/Work/a", "C:"}},
		{`\\Server\Share\docs`, []string{`\\server\share\docs\a`, "//server/share/docs/a", `\\?\UNC\server\share\docs`}, []string{`\\server\share\a`, `\\server\share\docs\..\a`, `\\other\share\docs`, `\\..\share\docs`, `\docs`}},
		{`.\docs`, []string{`docs\a`, "docs/a", `DOCS\a`}, []string{`docs\..\a`, `C:\docs\a`, `\docs\a`}},
	} {
		f, err := folderOf(c.folder)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range c.in {
			if !f.contains(path) {
				t.Errorf("%q is not inside %q", path, c.folder)
			}
		}
		for _, path := range c.outside {
			if f.contains(path) {
				t.Errorf("%q is inside %q", path, c.folder)
			}
		}
	}
	for _, bad := range []string{"", "~/a", "a:b/c", "C:docs", `\docs`, "a\x00b", `\\server`} {
		if _, err := folderOf(bad); err == nil {
			t.Errorf("folder %q is taken", bad)
		}
	}
}

// resolved goes along a path segment by segment, from a place that is deep in a tree, as a
// system would: it returns the places from the top. Windows has two separators.
func resolved(path string, windows bool) []string {
	here := []string{"w1", "w2", "w3"}
	if windows {
		path = strings.ToLower(strings.ReplaceAll(path, `\`, "/"))
	}
	if strings.HasPrefix(path, "/") || windows && strings.Contains(path, ":") {
		here = nil
	}
	for _, name := range strings.Split(path, "/") {
		switch name {
		case "", ".":
		case "..":
			here = here[:max(0, len(here)-1)]
		default:
			here = append(here, name)
		}
	}
	return here
}

// FuzzInside holds that a path which is said to be inside of a folder does not lead out of it,
// whichever way its separators are read.
func FuzzInside(f *testing.F) {
	for _, folder := range []string{"docs", "/srv/docs", ".", `C:\Work`, `.\docs`} {
		for _, path := range []string{"docs/a", "docs/../../etc", "/srv/docs//../docs/x", `docs\..\..\x`, `C:\Docs\..\x`, `c:/docs/a`, "./docs/./a/../..", "..", "docs/.. /a"} {
			f.Add(folder, path)
		}
	}
	f.Fuzz(func(t *testing.T, name, path string) {
		folder, err := folderOf(name)
		if err != nil || !folder.contains(path) || strings.HasPrefix(path, `\\`) || strings.Contains(name, "..") {
			return
		}
		for _, windows := range []bool{folder.windows, folder.windows || strings.Contains(path, `\`)} {
			root, at := resolved(name, windows), resolved(path, windows)
			if len(at) < len(root) || strings.Join(at[:len(root)], "/") != strings.Join(root, "/") {
				t.Errorf("%q is said to be inside %q, and leads to %q", path, name, at)
			}
		}
	})
}
