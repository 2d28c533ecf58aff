package inspect_test

import (
	"context"
	"encoding/binary"
	"math/rand/v2"
	"regexp"
	"slices"
	"testing"
	"time"

	"pushmask/core"
	"pushmask/core/inspect"
	"pushmask/core/session"
)

// damagedViews are objects with one word changed, and how they are shown: as what
// is wrong with them.
var damagedViews = map[string][]struct {
	at   string // expression of the address of the word
	word string // expression of what it becomes
	expr string
	want string // a regular expression
}{
	"libstdc++-gcc-O0": {
		{"&numbers._M_impl._M_finish", "(int)numbers._M_impl._M_start - 4", "numbers", "^<not initialised or damaged: it ends at 0x2000[0-9a-f]{4}, before it begins at 0x2000[0-9a-f]{4}>$"},
		{"&numbers._M_impl._M_finish", "(int)numbers._M_impl._M_start + 400", "numbers", "it ends at 0x.*, behind its buffer, which ends at 0x"},
		{"&numbers._M_impl._M_finish", "(int)numbers._M_impl._M_start + 10", "numbers", "10 bytes are no elements of 4 bytes"},
		{"&numbers._M_impl._M_start", "0", "numbers", "it begins at 0>$"},
		{"&bools._M_impl._M_finish._M_offset", "40", "bools", "bit 40 of a word"},
		{"&bools._M_impl._M_finish._M_p", "0", "bools", "before it begins"},
		{"&short_text._M_string_length", "16", "short_text", "16 characters in a buffer for 15"},
		{"&short_text._M_string_length", "3", "short_text", "no NUL behind its 3 characters"},
		{"&long_text._M_string_length", "0x30000000", "long_text", "805306368 characters in a buffer for 44"},
		{"&long_text._M_dataplus._M_p", "0", "long_text", "its characters are at 0"},
		{"&long_text._M_dataplus._M_p", "0x30000000", "long_text", "^<not in the dump: 0x30000000"},
		{"&long_text._M_dataplus._M_p", "0x40000000", "long_text", "^<not read: 0x40000000 may be of a device that a read changes>$"},
		{"&view_of_text._M_len", "0xffffffff", "view_of_text", "4294967295 elements of 1 bytes"},
		{"&something._M_payload._M_engaged", "0xcd", "something", "205 says whether it holds a value"},
		{"&first_kind._M_index", "7", "first_kind", "it holds alternative 7"},
		{"&first_kind._M_index", "255", "first_kind", "^valueless$"},
		{"chain._M_impl._M_node._M_next", "(int)&chain", "chain", "<damaged: node 0x.*, which 0x.* leads to, does not lead back>"},
		{"&chain._M_impl._M_node._M_next", "0x30000000", "chain", "not in the dump: 0x3000000"},
		{"&chain._M_impl._M_node._M_size", "1", "chain", `^\[1\] \{4\} <damaged: there are more than 1 nodes>$`},
		{"&by_number._M_t._M_impl._M_node_count", "5", "by_number", "}, <damaged: the nodes end after 2 of 5 elements>, ...}$"},
		{"&by_number._M_t._M_impl._M_node_count", "0x30000000", "by_number", "805306368 elements"},
		{"(int)big_map._M_t._M_impl._M_header._M_parent + 12", "(int)big_map._M_t._M_impl._M_header._M_parent", "big_map[99]", "does not lead back>$"},
		{"pairs._M_h._M_before_begin._M_nxt", "(int)pairs._M_h._M_before_begin._M_nxt", "pairs", "<damaged: the nodes of 2 elements go round in a circle of 1>}$"},
		{"&queue._M_impl._M_start._M_cur", "0x30000000", "queue", "an end of it is in no block"},
		{"&queue._M_impl._M_finish._M_node", "0", "queue", "it ends before it begins"},
		{"&shared._M_refcount._M_pi->_M_use_count", "0", "shared", "it has 0 owners"},
		{"&shared._M_refcount._M_pi->_M_use_count", "-5", "shared", "it has -5 owners"},
		{"&span_of._M_ptr", "0x40000000", "span_of", `^\[4\] \{<not read: 0x40000000 may be of a device that a read changes>`},
		{"&owned", "0x40000000", "owned", "<not read: 0x40000000"},
		{"&owned", "0x40000000", "owned->x", "^0 "},
	},
	"rust": {
		{"&vec.len", "100", "vec", "100 elements in a buffer for 3"},
		{"&text.vec.len", "100", "text", "100 bytes in a buffer for 7"},
		{"&text[0]", "-1", "text", "<not UTF-8: not initialised or damaged>$"},
		{"&slice.length", "0x40000000", "slice", "1073741824 elements of 4 bytes"},
		{"&slice.length", "0x100000", "slice", "<its end is not in the dump"},
		{"&slice.data_ptr", "0x40000000", "slice", "<not read: 0x40000000"},
		{"&shape.vtable", "0", "shape", "^{pointer = 0x"},
		{"&ref_cell.borrow.value.value", "-1", "ref_cell", "^12 <mutably borrowed>$"},
		{"&span.nanos", "1000000000", "span", "1000000000 ns in a second"},
		{"&map.length", "5", "map", `2: "two", <damaged: the nodes end after 2 of 5 elements>`},
		{"&map.length", "-1", "map", "4294967295 elements in a tree of 1 levels"},
		{"&big.root.Some.__0.node.pointer->len", "12", "big", "has 12 keys>"},
		{"&big.root.Some.__0.height", "60", "big", "200 elements in a tree of 61 levels"},
		{"&big.root.Some.__0.height", "0", "big", "<damaged: the nodes end after"},
		{"&deque.head", "9", "deque", "<not initialised or damaged: "},
		{"(int)&*rc - 8", "0", "rc", "it has 0 owners"},
		{"(int)&*rc - 8", "0", "weak", "^<dropped>$"},
		{"&h_vec.len", "5", "h_vec", "5 elements in a buffer for 4"},
		{"&h_text.vec.len", "5", "h_text", "5 bytes in a buffer for 4"},
		{"&h_deque.back", "4", "h_deque", "elements 3 to 4 of 4"},
		{"&h_queue.tail", "3", "h_queue", "elements 2 to 3 of 3"},
	},
	"etl-gcc": {
		{"&numbers.p_end", "(int)numbers.p_buffer - 4", "numbers", "it begins at 0x.* and ends at 0x"},
		{"&numbers.p_end", "(int)numbers.p_buffer + 24", "numbers", "6 elements in a buffer for 5"},
		{"&text.current_size", "11", "text", "11 characters in a buffer for 10"},
		{"&text.current_size", "4", "text", "no NUL behind its 4 characters"},
		{"(int)&something + 4", "2", "something", "2 says whether it holds a value"},
		{"&first_node.next", "0x30000000", "chain", `^\[2\] \{4, <not in the dump: 0x30000000`},
		{"&second_node.previous", "0", "chain", "<damaged: node 0x.*, which 0x.* leads to, does not lead back>"},
		{"&chain.terminal_node.next", "0", "chain", "damaged: node 0x00000000, which"},
		{"&by_letter.current_size", "5", "by_letter", "5 elements in a tree for 4"},
		{"&by_letter.current_size", "4", "by_letter", "<damaged: the nodes end after 3 of 4 elements>"},
		{"&left.children[0]", "(int)&middle", "by_letter", "is met a second time"},
		{"&ring.in", "5", "ring", "elements 3 to 5 of 5"},
		{"&both.current_size", "6", "both", "6 elements from 3 on in a buffer for 5"},
		{"flat.lookup.p_buffer", "0x40000000", "flat", "<not read: 0x40000000"},
	},
	"libc++-16-abi1-O0": {
		{"&numbers.__end_", "(int)numbers.__begin_ - 4", "numbers", "it ends at 0x.*, before it begins at 0x"},
		{"&short_text", "0xffffff00 + 2 * 50", "short_text", "50 characters in a buffer for 10"},
		{"(int)&long_text + 4", "1000", "long_text", "1000 characters in a buffer for 47"},
		{"&bools.__size_", "1000", "bools", "1000 bits in 1 words"},
		{"&queue.__start_", "5000", "queue", "3 elements from 5000 on in [12] blocks of 1024"},
		{"&by_number.__tree_.__pair3_", "5", "by_number", "<damaged: the nodes end after 2 of 5 elements>, ...}$"},
		{"&chain.__size_alloc_", "3", "chain", "<damaged: the nodes end after 2 of 3 elements>}$"},
		{"(int)chain.__end_.__next_ + 4", "(int)&chain", "chain", "<damaged: node"},
		{"(int)&first_kind + 12", "9", "first_kind", "it holds alternative 9"},
		{"(int)&something + 4", "0xcd", "something", "205 says whether it holds a value"},
		{"(int)shared.__cntrl_ + 4", "-1", "shared", "it has 0 owners"},
	},
}

// checkDamaged shows objects that contradict themselves as that.
func checkDamaged(t *testing.T, s *session.Session, h *halted, library string, f *session.Frame) {
	t.Helper()
	for _, tt := range damagedViews[library] {
		restore := h.set(core.Addr(number(t, s, f, tt.at)), number(t, s, f, tt.word))
		v, err := s.Evaluate(context.Background(), tt.expr, f)
		got := v.Text
		if err != nil {
			got = err.Error()
		}
		if !regexp.MustCompile(tt.want).MatchString(got) {
			t.Errorf("%s = %s: %s is %s, want %s", tt.at, tt.word, tt.expr, got, tt.want)
		}
		restore()
	}
}

// number evaluates an expression.
func number(t *testing.T, s *session.Session, f *session.Frame, expr string) uint32 {
	t.Helper()
	v, err := s.Evaluate(context.Background(), expr, f)
	if err != nil {
		t.Fatalf("%s: %v", expr, err)
	}
	return v.U32
}

// objectOf returns an object in RAM with its address and size, nil for what is
// none.
func objectOf(s *session.Session, f *session.Frame, expr string) (v *inspect.Value, at core.Addr, size uint32) {
	got, err := s.Evaluate(context.Background(), expr, f)
	if err != nil {
		return nil, 0, 0
	}
	at, ok := got.Value.Address()
	size, ok2 := got.Value.Type.Size()
	if !ok || !ok2 || at < ramAt || at+core.Addr(size) > ramAt+ramSize {
		return nil, 0, 0
	}
	return got.Value, at, size
}

// lookAtDamaged looks at all objects with words of theirs, and of what they point
// to, changed at random: it ends soon and with the elements that it announces.
func lookAtDamaged(t *testing.T, s *session.Session, h *halted, list []expectation, f *session.Frame) {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	for _, e := range list {
		v, at, size := objectOf(s, f, e.expr)
		if v == nil {
			continue
		}
		for range 8 {
			a := at + core.Addr(random.Uint32N(max(size/4, 1))*4)
			if random.Uint32N(4) == 0 { // somewhere in RAM
				a = ramAt + core.Addr(random.Uint32N(ramSize/4)*4)
			}
			word := random.Uint32()
			switch random.Uint32N(4) {
			case 0:
				word = ramAt + word%ramSize&^3
			case 1:
				word %= 100
			case 2:
				word = uint32(at)
			}
			restore := h.set(a, word)
			start := time.Now()
			seen := 0
			lookInside(v, 2, &seen)
			if took := time.Since(start); took > hang {
				t.Errorf("%s with %v = %#x takes %v", e.expr, a, word, took)
			}
			restore()
		}
	}
}

// lookAtDevices looks at all objects with each of their words the address of a
// device, which must not be read.
func lookAtDevices(t *testing.T, s *session.Session, h *halted, list []expectation, f *session.Frame) {
	t.Helper()
	looked := 0
	for _, e := range list {
		v, at, size := objectOf(s, f, e.expr)
		if v == nil {
			continue
		}
		for off := uint32(0); off+4 <= min(size, 64); off += 4 {
			restore := h.set(at&^3+core.Addr(off), device+0x4000)
			h.reads = nil
			seen := 0
			lookInside(v, 2, &seen)
			if len(h.reads) > 0 {
				t.Errorf("%s with its word at %d changed reads a device: %v", e.expr, off, h.reads[:1])
			}
			looked++
			restore()
		}
	}
	if looked < 60 {
		t.Errorf("%d words were changed", looked)
	}
}

// lookInside shows a value and what is in it, without what plain pointers lead to.
func lookInside(v *inspect.Value, depth int, seen *int) {
	_ = v.Text()
	if *seen++; depth == 0 || *seen > 300 {
		return
	}
	_, indexed := v.Counts()
	for _, c := range append(v.Named(0, 20), append(v.Indexed(0, 20), v.Indexed(max(indexed-2, 0), 2)...)...) {
		if c.Name != "[raw]" && !c.Value.IsPointer() {
			lookInside(c.Value, depth-1, seen)
		}
	}
}

// FuzzViews: whatever RAM holds, objects of Rust's library can be looked at, and no
// device is read. The input is places in RAM with the words that are there.
func FuzzViews(f *testing.F) {
	elf := gunzipped(f, "testdata/rust/views-1.96.elf.gz")
	h := runToStop(f, elf)
	s := openAt(f, elf, h)
	frame := frameOf(f, s, 1)
	var objects []*inspect.Value
	var at []byte
	for _, e := range commented(f, "testdata/rust/views.rs") {
		if v, a, _ := objectOf(s, frame, e.expr); v != nil {
			objects = append(objects, v)
			at = binary.LittleEndian.AppendUint16(at, uint16(a-ramAt))
			f.Add(append(at[len(at)-2:len(at):len(at)], 0, 0, 0, 0x40))
		}
	}
	f.Fuzz(func(t *testing.T, patches []byte) {
		start := time.Now()
		ram := slices.Clone(h.ram)
		defer copy(h.ram, ram)
		h.reads = nil
		for ; len(patches) >= 6; patches = patches[6:] {
			to := min(uint32(binary.LittleEndian.Uint16(patches)), ramSize-4)
			copy(h.ram[to:], patches[2:6])
		}
		for _, v := range objects {
			seen := 0
			lookInside(v, 2, &seen)
		}
		if len(h.reads) > 0 {
			t.Errorf("a device is read: %v", h.reads[0])
		}
		if took := time.Since(start); took > hang {
			t.Errorf("it takes %v", took)
		}
	})
}
