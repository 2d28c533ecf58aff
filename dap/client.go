package dap

import (
	"net/url"
	"path"
	"path/filepath"
	"strings"

	"github.com/google/go-dap"
)

// client is what the initialize request tells about the client.
type client struct {
	linesStartAt0    bool
	columnsStartAt0  bool
	pathsAreURIs     bool
	memoryReferences bool
	variableTypes    bool
	invalidated      bool // understands the event
	memoryEvents     bool
}

func newClient(args *dap.InitializeRequestArguments) client {
	return client{
		linesStartAt0:    !args.LinesStartAt1,
		columnsStartAt0:  !args.ColumnsStartAt1,
		pathsAreURIs:     args.PathFormat == "uri",
		memoryReferences: args.SupportsMemoryReferences,
		variableTypes:    args.SupportsVariableType,
		invalidated:      args.SupportsInvalidatedEvent,
		memoryEvents:     args.SupportsMemoryEvent,
	}
}

// line converts a 1-based line for the client. 0 stands for no line and stays.
func (c client) line(n int) int {
	if c.linesStartAt0 && n > 0 {
		return n - 1
	}
	return n
}

// column converts a 1-based column for the client. 0 stands for no column.
func (c client) column(n int) int {
	if c.columnsStartAt0 && n > 0 {
		return n - 1
	}
	return n
}

// ownLine is the inverse of line.
func (c client) ownLine(n int) int {
	if c.linesStartAt0 {
		return n + 1
	}
	return n
}

// ownColumn is the inverse of column. No column comes as 0 from those who count
// from 1, and cannot be told from the first by the others.
func (c client) ownColumn(n int) int {
	if c.columnsStartAt0 && n > 0 {
		return n + 1
	}
	return n
}

// localPath is the inverse of path.
func (c client) localPath(p string) string {
	u, err := url.Parse(p)
	if !c.pathsAreURIs || err != nil || u.Scheme != "file" {
		return p
	}
	p = u.Path
	if len(p) > 2 && p[0] == '/' && p[2] == ':' {
		p = p[1:] // a drive letter
	}
	return filepath.FromSlash(p)
}

// path converts the path of a file for the client.
func (c client) path(p string) string {
	if !c.pathsAreURIs {
		return p
	}
	slashed := strings.ReplaceAll(p, `\`, "/")
	if !strings.HasPrefix(slashed, "/") {
		slashed = "/" + slashed // a drive letter is the first element of the path (RFC 8089, appendix E.2)
	}
	return (&url.URL{Scheme: "file", Path: slashed}).String()
}

// file describes a source file of this machine.
func (c client) file(p string) *dap.Source {
	return &dap.Source{Name: baseName(p), Path: c.path(p)}
}

// memoryReference returns ref for clients that can use it.
func (c client) memoryReference(ref string) string {
	if !c.memoryReferences {
		return ""
	}
	return ref
}

// pathEndsWith reports whether a path ends with the elements of another.
func pathEndsWith(path, end string) bool {
	path, end = strings.ReplaceAll(path, `\`, "/"), strings.ReplaceAll(end, `\`, "/")
	return path == end || strings.HasSuffix(path, "/"+end)
}

// baseName is the last element of a path of this machine or of the one that
// built the program.
func baseName(p string) string {
	return path.Base(filepath.ToSlash(strings.ReplaceAll(p, `\`, "/")))
}
