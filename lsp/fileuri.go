package lsp

import (
	"net/url"
	"path/filepath"
	"strings"
)

// filePath returns the path that a file URI names, and false for every other
// scheme: untitled documents, notebook cells, text that is no URI. (The
// method Filename of uri.URI panics on those.)
func filePath(uri string) (string, bool) {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" || u.Path == "" {
		return "", false
	}
	path := u.Path
	switch {
	case hasDrive(path[1:]) && path[0] == '/':
		path = path[1:]
	case u.Host != "" && u.Host != "localhost":
		path = "//" + u.Host + path
	}
	return filepath.FromSlash(path), true
}

// fileURI is the URI of an absolute path of this machine.
func fileURI(path string) string {
	path = filepath.ToSlash(path)
	u := url.URL{Scheme: "file", Path: path}
	switch {
	case hasDrive(path):
		u.Path = "/" + path
	case strings.HasPrefix(path, "//"): // \\host\share
		u.Host, u.Path, _ = strings.Cut(path[2:], "/")
		u.Path = "/" + u.Path
	}
	return u.String()
}

// hasDrive reports whether a path begins with a Windows drive letter.
func hasDrive(path string) bool {
	return len(path) >= 2 && path[1] == ':' && (path[0]|0x20) >= 'a' && (path[0]|0x20) <= 'z'
}
