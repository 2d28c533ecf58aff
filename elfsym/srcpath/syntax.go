package srcpath

import (
	"path"
	"strings"
)

// Windows reports whether p is written the Windows way: with a drive letter,
// as a UNC name, or with backslashes only. Slashes that mean nothing, at the end
// or behind a dot, do not count, so that cleaning a path does not change its kind.
func Windows(p string) bool {
	return volume(p) != "" || strings.Contains(p, `\`) && !strings.Contains(path.Clean(p), "/")
}

// Absolute reports whether p is an absolute POSIX or Windows path.
func Absolute(p string) bool {
	v := volume(p)
	return v != "" && (len(v) > 2 || len(p) > 2 && isSeparator(p[2])) || strings.HasPrefix(p, "/") ||
		strings.HasPrefix(p, `\`)
}

// volume returns the drive ("C:") or UNC share ("\\host\share") that p begins
// with, "" when it has none.
func volume(p string) string {
	if len(p) >= 2 && p[1] == ':' && isLetter(p[0]) && (len(p) == 2 || isSeparator(p[2])) {
		return p[:2]
	}
	if !strings.HasPrefix(p, `\\`) {
		return ""
	}
	host := strings.IndexAny(p[2:], `\/`)
	if host <= 0 {
		return ""
	}
	share := p[2+host+1:]
	if i := strings.IndexAny(share, `\/`); i >= 0 {
		share = share[:i]
	}
	if share == "" {
		return ""
	}
	return p[:2+host+1+len(share)]
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isSeparator(c byte) bool { return c == '/' || c == '\\' }

// Join returns name as it is when it is absolute, else dir and name joined by
// the separator that dir uses. The result is [Clean]ed.
func Join(dir, name string) string {
	switch {
	case dir == "" || Absolute(name):
		return Clean(name)
	case Windows(dir):
		return Clean(dir + `\` + name)
	}
	if Windows(name) {
		name = strings.ReplaceAll(name, `\`, "/")
	}
	return Clean(dir + "/" + name)
}

// Clean resolves "." and ".." elements and repeated separators. A Windows path
// gets one kind of separator, the one it has first; POSIX paths keep
// backslashes, which are ordinary characters there.
func Clean(p string) string {
	if p == "" {
		return ""
	}
	if !Windows(p) {
		return path.Clean(p)
	}
	v := volume(p)
	rest := strings.ReplaceAll(p[len(v):], `\`, "/")
	sep := `\`
	if i := strings.IndexAny(p, `\/`); i >= 0 && p[i] == '/' {
		sep = "/"
	}
	if rest == "" {
		return v
	}
	return v + strings.ReplaceAll(path.Clean(rest), "/", sep)
}

// elements splits a path into its names; the volume or root is not among them.
func elements(p string) []string {
	p = Clean(p)
	if Windows(p) {
		p = strings.ReplaceAll(p[len(volume(p)):], `\`, "/")
	}
	return strings.FieldsFunc(p, func(r rune) bool { return r == '/' })
}
