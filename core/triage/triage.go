// Package triage tells crashes apart by what is the same in every occurrence of
// a bug and in every build with it: the kind of the cause and the names of the
// functions at the top of the stack. Addresses, line numbers and offsets take no
// part.
package triage

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"pushmask/core/session"
)

// Depth is how many functions of a stack take part.
const Depth = 5

// version is part of what is hashed: signatures of another way of making them
// are other ones.
const version = "pushmask triage 1"

// Signature names a kind of crash.
type Signature struct {
	ID     string   // 16 hexadecimal digits
	Cause  string   // kind of the cause: "null-read"
	Frames []string // functions, youngest first, at most Depth
	// Partial says that the stack ended early, or is a guess: crashes of one kind
	// can have different signatures then.
	Partial bool
}

// String is the signature in words: "null-read in filter_mean < sensor_calibrate".
func (s Signature) String() string {
	if len(s.Frames) == 0 {
		return s.Cause
	}
	return s.Cause + " in " + strings.Join(s.Frames, " < ")
}

// Of makes the signature of a stack. Where an exception was taken, what its
// handler did is left out: the code that it interrupted counts. So do the
// functions below assertions and panics.
func Of(cause session.Cause, frames []session.Frame, complete bool) Signature {
	s := Signature{Cause: string(cause.Kind)}
	for _, f := range interrupted(frames) {
		if f.Core != nil && f.Core.Trust.Guess() {
			s.Partial = true
			break
		}
		if f.Kind == session.KindException {
			continue
		}
		name := normal(f.Label())
		if len(s.Frames) == 0 && mechanism(normal(f.Function)) {
			continue
		}
		if n := len(s.Frames); n > 0 && s.Frames[n-1] == name {
			continue // recursion, however deep
		}
		if s.Frames = append(s.Frames, name); len(s.Frames) == Depth {
			break
		}
	}
	s.Partial = s.Partial || len(s.Frames) < Depth && !complete
	sum := sha256.Sum256([]byte(strings.Join(append([]string{version, s.Cause}, s.Frames...), "\n")))
	s.ID = hex.EncodeToString(sum[:8])
	return s
}

// interrupted returns the frames below the first exception, all if there is
// none.
func interrupted(frames []session.Frame) []session.Frame {
	for i, f := range frames {
		if f.Kind == session.KindException && i+1 < len(frames) {
			return frames[i+1:]
		}
	}
	return frames
}

// variants are what compilers add to the names of copies and parts of a
// function.
var variants = []string{".part", ".isra", ".constprop", ".lto_priv", ".cold", ".llvm", ".OUTLINED"}

// normal is the name of a function without what differs from build to build:
// suffixes of compilers, the hash of Rust's mangling, an address in place of a
// name.
func normal(name string) string {
	for _, v := range variants {
		if i := strings.Index(name, v); i > 0 {
			name = name[:i]
		}
	}
	if i := strings.LastIndex(name, "::h"); i > 0 && len(name)-i == len("::h0123456789abcdef") {
		name = name[:i]
	}
	if strings.HasPrefix(name, "sub_") {
		return "?"
	}
	return name
}

// mechanisms are functions that report what others found wrong.
var mechanisms = map[string]bool{
	"abort": true, "__assert_func": true, "__assert": true, "assert_failed": true, "raise": true, "_exit": true,
	"_kill": true, "_kill_r": true, "_raise_r": true, "exit": true, "__stack_chk_fail": true, "__cxa_throw": true,
	"std::terminate()": true, "__verbose_terminate_handler": true, "rust_begin_unwind": true, "core::panicking::panic": true,
	"core::panicking::panic_fmt": true, "core::panicking::panic_bounds_check": true, "core::result::unwrap_failed": true,
	"core::option::unwrap_failed": true, "core::option::expect_failed": true, "Error_Handler": true,
	"vAssertCalled": true, "assert_post_action": true, "k_panic": true, "z_fatal_error": true, "k_sys_fatal_error_handler": true,
	"_assert": true, "__assert_no_args": true,
}

func mechanism(name string) bool { return mechanisms[name] }

// Group is the crashes of one signature.
type Group struct {
	Signature
	Count int
	Dumps []string // names of some, the first ones, at most MaxNames
}

// MaxNames bounds the names that a group keeps.
const MaxNames = 10

// Groups collects crashes by signature. The zero value is empty.
type Groups struct{ byID map[string]*Group }

// Add adds a crash.
func (g *Groups) Add(s Signature, dump string) {
	if g.byID == nil {
		g.byID = make(map[string]*Group)
	}
	group := g.byID[s.ID]
	if group == nil {
		group = &Group{Signature: s}
		g.byID[s.ID] = group
	}
	group.Count++
	if len(group.Dumps) < MaxNames {
		group.Dumps = append(group.Dumps, dump)
	}
}

// Sorted returns the groups, the largest first.
func (g *Groups) Sorted() []*Group {
	var list []*Group
	for _, group := range g.byID {
		list = append(list, group)
	}
	slices.SortFunc(list, func(a, b *Group) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.ID, b.ID))
	})
	return list
}
