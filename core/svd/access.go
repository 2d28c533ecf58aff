package svd

import "strings"

// Access is what software may do with a register or field (accessType).
type Access uint8

// The kinds of access. The zero value is what most files leave out.
const (
	ReadWrite     Access = iota
	ReadOnly             // writes have an undefined result
	WriteOnly            // reads have an undefined result
	WriteOnce            // as WriteOnly, and only the first write after reset counts
	ReadWriteOnce        // reads count always, only the first write after reset does
	// UnknownAccess is that of a word that means nothing: neither reads nor
	// writes are known to be defined.
	UnknownAccess
)

var accessNames = []string{"read-write", "read-only", "write-only", "writeOnce", "read-writeOnce"}

// accessWords are words that files have for those of the schema.
var accessWords = map[string]Access{"read": ReadOnly, "write": WriteOnly}

// accessOf finds an access by its word; [UnknownAccess] and false for a word
// that means nothing.
func accessOf(s string) (Access, bool) {
	if a, ok := accessWords[s]; ok {
		return a, true
	}
	if a, ok := valueOf[Access](accessNames, s); ok {
		return a, true
	}
	return UnknownAccess, false
}

// String returns the word of the schema: "read-only", "unknown" without one.
func (a Access) String() string { return nameOf(accessNames, a) }

// Readable reports whether reads have a defined result.
func (a Access) Readable() bool { return a == ReadWrite || a == ReadOnly || a == ReadWriteOnce }

// Writable reports whether writes have a defined result.
func (a Access) Writable() bool { return a != ReadOnly && a < UnknownAccess }

// once reports whether only the first write after reset counts.
func (a Access) once() bool { return a == WriteOnce || a == ReadWriteOnce }

// ReadAction is what a read changes (readActionType).
type ReadAction uint8

// The effects of a read.
const (
	ReadKeeps            ReadAction = iota // none
	ReadClears                             // all bits become 0
	ReadSets                               // all bits become 1
	ReadModifies                           // the value changes in some way
	ReadModifiesExternal                   // something else changes
)

var readActionNames = []string{"", "clear", "set", "modify", "modifyExternal"}

// String returns the word of the schema, "" for no effect.
func (a ReadAction) String() string { return nameOf(readActionNames, a) }

// WriteEffect is what written bits do (modifiedWriteValuesType).
type WriteEffect uint8

// The effects of a write. OneToX acts in the bits that are written as 1 and
// keeps the others, ZeroToX the other way round.
const (
	WriteModifies WriteEffect = iota // the bits become what is written
	OneToClear
	OneToSet
	OneToToggle
	ZeroToClear
	ZeroToSet
	ZeroToToggle
	WriteClears // all bits become 0, whatever is written
	WriteSets   // all bits become 1, whatever is written
	// WriteUnknown is the effect of a word that means nothing.
	WriteUnknown
)

var writeEffectNames = []string{
	"modify", "oneToClear", "oneToSet", "oneToToggle",
	"zeroToClear", "zeroToSet", "zeroToToggle", "clear", "set",
}

// String returns the word of the schema: "oneToClear", "unknown" without one.
func (e WriteEffect) String() string { return nameOf(writeEffectNames, e) }

// Protection is the permission that an access needs (protectionStringType).
type Protection uint8

// The permissions.
const (
	Unprotected Protection = iota
	Secure
	NonSecure
	Privileged
)

var protectionNames = []string{"", "s", "n", "p"}

// String returns the letter of the schema, "" for none.
func (p Protection) String() string { return nameOf(protectionNames, p) }

// Usage says for which accesses an [Enum] names values (enumUsageType).
type Usage uint8

// The usages.
const (
	UseReadWrite Usage = iota
	UseRead
	UseWrite
)

var usageNames = []string{"read-write", "read", "write"}

// String returns the word of the schema: "read-write".
func (u Usage) String() string { return nameOf(usageNames, u) }

func nameOf[T ~uint8](names []string, v T) string {
	if int(v) < len(names) {
		return names[v]
	}
	return "unknown"
}

// valueOf finds a word of the schema among the names of a type, however it is
// written: vendor files have "Read-Only", "readWrite" and "oneToclear".
func valueOf[T ~uint8](names []string, s string) (T, bool) {
	for i, n := range names {
		if n == s && n != "" {
			return T(i), true
		}
	}
	s = plain(s)
	for i, n := range names {
		if n != "" && plain(n) == s {
			return T(i), true
		}
	}
	return 0, false
}

// plain reduces a word to its lower case letters.
func plain(s string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c >= 'A' && c <= 'Z':
			return c + ('a' - 'A')
		case c >= 'a' && c <= 'z':
			return c
		}
		return -1
	}, s)
}
