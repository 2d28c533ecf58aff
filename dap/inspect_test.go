package dap

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-dap"

	"pushmask/dap/dapclient"
)

// TestStackTracePages asks for the stack in pages of every size.
func TestStackTracePages(t *testing.T) {
	t.Parallel()
	whole := must(openDemo(t).StackTrace(1, 0, 0))(t)
	n := len(whole.StackFrames)
	if n < 8 || whole.TotalFrames != n {
		t.Fatalf("%d frames, totalFrames %d", n, whole.TotalFrames)
	}
	for size := 1; size <= n+1; size++ {
		c := openDemo(t)
		first := must(c.StackTrace(1, 0, size))(t)
		if size < n && first.TotalFrames != 0 {
			t.Errorf("page size %d: totalFrames %d before the end was reached", size, first.TotalFrames)
		}
		var names []string
		for _, f := range pages(t, c, size) {
			names = append(names, f.Name)
		}
		var want []string
		for _, f := range whole.StackFrames {
			want = append(want, f.Name)
		}
		if diff := cmp.Diff(want, names); diff != "" {
			t.Errorf("pages of %d differ (-want +got):\n%s", size, diff)
		}
	}
}

// TestFrameIDs asks for frames twice: the ids must not change, whatever comes
// between.
func TestFrameIDs(t *testing.T) {
	t.Parallel()
	c := openDemo(t)
	late := must(c.StackTrace(1, 3, 2))(t)
	if err := c.Continue(1); err != nil {
		t.Fatal(err)
	}
	whole := must(c.StackTrace(1, 0, 0))(t)
	seen := map[int]bool{}
	for i, f := range whole.StackFrames {
		if seen[f.Id] {
			t.Errorf("frame %d has the id of another", i)
		}
		seen[f.Id] = true
	}
	for i, f := range late.StackFrames {
		if got := whole.StackFrames[3+i].Id; got != f.Id {
			t.Errorf("frame %d had the id %d, now %d", 3+i, f.Id, got)
		}
	}
}

func TestUnknownReferences(t *testing.T) {
	t.Parallel()
	c := openDemo(t)
	_, err := c.StackTrace(99, 0, 0)
	wantError(t, err, errUnknownThread)
	_, err = c.ExceptionInfo(99)
	wantError(t, err, errUnknownThread)
	_, err = c.Scopes(99)
	wantError(t, err, errUnknownFrame)
	_, err = c.Evaluate("$sp", 99, "watch")
	wantError(t, err, errUnknownFrame)
	_, err = c.Variables(99, 0, 0)
	wantError(t, err, errUnknownVariable)
	_, err = c.Source(&dap.Source{SourceReference: 99})
	wantError(t, err, errUnknownSource)
	for _, ref := range []string{"", "main", "0x100000000", "-4"} {
		_, err = c.ReadMemory(ref, 0, 4)
		wantError(t, err, errArgument)
		_, err = c.Disassemble(ref, 0, 4)
		wantError(t, err, errArgument)
	}
	_, err = c.ReadMemory("0x0", -1, 4)
	wantError(t, err, errArgument)
	_, err = c.ReadMemory("0x0", 0, maxRead+1)
	wantError(t, err, errArgument)
	_, err = c.Disassemble("0x0", 0, maxInstructions+1)
	wantError(t, err, errArgument)
}

// TestDisassembleCount asks for every shape of window around PCs of the
// stack, the ends of memory and holes.
func TestDisassembleCount(t *testing.T) {
	t.Parallel()
	c := openDemo(t)
	refs := []string{"0x00000000", "0x10000000", "0xfffffffe"}
	for _, f := range must(c.StackTrace(1, 0, 0))(t).StackFrames {
		if f.InstructionPointerReference != "" {
			refs = append(refs, f.InstructionPointerReference)
		}
	}
	for _, ref := range refs {
		for _, window := range []struct{ offset, count int }{
			{0, 1}, {0, 50}, {-1, 2}, {-50, 100}, {-200, 50}, {10, 10}, {-400, 800}, {0, 0},
		} {
			name := fmt.Sprintf("%s%+d, %d", ref, window.offset, window.count)
			list := must(c.Disassemble(ref, window.offset, window.count))(t)
			if len(list) != window.count {
				t.Errorf("%s: %d instructions", name, len(list))
				continue
			}
			if i := -window.offset; i >= 0 && i < len(list) && list[i].Address != ref {
				t.Errorf("%s: instruction %d is at %s", name, i, list[i].Address)
			}
			checkPlaces(t, name, list)
			checkAscending(t, name, list)
		}
	}
}

// checkAscending checks that addresses as numbers have the order of the places,
// also across the ends of memory.
func checkAscending(t *testing.T, name string, list []dapclient.Instruction) {
	t.Helper()
	for i := range list[min(1, len(list)):] {
		before := must(strconv.ParseInt(list[i].Address, 0, 64))(t)
		after := must(strconv.ParseInt(list[i+1].Address, 0, 64))(t)
		if after <= before {
			t.Errorf("%s: %s comes after %s", name, list[i+1].Address, list[i].Address)
		}
	}
}

// checkPlaces checks that each place of a disassembly is whole.
func checkPlaces(t *testing.T, name string, list []dapclient.Instruction) {
	t.Helper()
	for i, in := range list {
		if in.Instruction == "" || (in.InstructionBytes == "") != (in.PresentationHint == "invalid") {
			t.Errorf("%s: place %d is %+v", name, i, in)
		}
	}
}

// TestSourceShowsFrame asks for the disassembly of each frame that has one:
// the frame's line must show its function at or before its PC.
func TestSourceShowsFrame(t *testing.T) {
	t.Parallel()
	c := openDemo(t)
	shown := 0
	for _, f := range must(c.StackTrace(1, 0, 0))(t).StackFrames {
		if f.Source == nil || f.Source.SourceReference == 0 {
			continue
		}
		shown++
		lines := strings.Split(must(c.Source(f.Source))(t), "\n")
		if f.Line < 1 || f.Line > len(lines) {
			t.Errorf("%s: line %d of %d", f.Name, f.Line, len(lines))
			continue
		}
		address, _, _ := strings.Cut(lines[f.Line-1], " ")
		at := must(strconv.ParseUint(address, 0, 32))(t)
		pc := must(strconv.ParseUint(f.InstructionPointerReference, 0, 32))(t)
		if at > pc || pc-at > 4 {
			t.Errorf("%s: pc %#x, but line %d is %q", f.Name, pc, f.Line, lines[f.Line-1])
		}
		if !strings.Contains(lines[0], strings.TrimSuffix(f.Source.Name, ".s")) {
			t.Errorf("%s: the listing starts with %q", f.Name, lines[0])
		}
	}
	if shown == 0 {
		t.Error("no frame has a disassembly as its source")
	}
}

// TestHoverFailure checks that a word that is no expression stays quiet.
func TestHoverFailure(t *testing.T) {
	t.Parallel()
	c := openDemo(t)
	for _, expr := range []string{"", "return", "no_such_name", "a b", "(", "$nothing"} {
		_, err := c.Evaluate(expr, 0, "hover")
		if e := wantError(t, err, errEvaluate); e.ShowUser {
			t.Errorf("hover over %q pops up %q", expr, e.Text)
		}
	}
}

func TestEvaluateHex(t *testing.T) {
	t.Parallel()
	c := openDemo(t)
	for expr, want := range map[string]string{
		"2*3": "0x6", "2*3,d": "6", "(char)'A'": "0x41", "-1": "0xffffffff", "1ull << 40": "0x10000000000",
		"1.5f": "0x3fc00000", "(unsigned char[2])0x20000000": "", "$sp": "",
	} {
		var body dap.EvaluateResponseBody
		args := dap.EvaluateArguments{Expression: expr, Context: "clipboard", Format: &dap.ValueFormat{Hex: true}}
		if err := c.Call("evaluate", args, &body); err != nil {
			t.Errorf("%s: %v", expr, err)
			continue
		}
		if want == "" && !strings.Contains(body.Result, "0x") || want != "" && body.Result != want {
			t.Errorf("%s in hexadecimal is %q, want %q", expr, body.Result, want)
		}
	}
}

// TestReadMemoryPartial reads across the end of what exists: found by reading
// on until a read comes short.
func TestReadMemoryPartial(t *testing.T) {
	t.Parallel()
	c := openDemo(t)
	const chunk = 64
	addr := 0
	for ; ; addr += chunk {
		m := must(c.ReadMemory("0x0", addr, chunk))(t)
		data := must(base64.StdEncoding.DecodeString(m.Data))(t)
		if len(data)+m.UnreadableBytes != chunk {
			t.Fatalf("at %#x: %d bytes and %d unreadable ones make no %d", addr, len(data), m.UnreadableBytes, chunk)
		}
		if want := fmt.Sprintf("0x%08x", addr); m.Address != want {
			t.Errorf("address %s, want %s", m.Address, want)
		}
		if m.UnreadableBytes > 0 {
			break
		}
	}
	if addr == 0 {
		t.Error("the image's flash is not readable")
	}
}

// TestCallerRegisters checks that callers show what was recovered, where it
// was, and what is lost.
func TestCallerRegisters(t *testing.T) {
	t.Parallel()
	c := openDemo(t)
	frames := must(c.StackTrace(1, 0, 0))(t).StackFrames
	saved := 0
	for _, f := range frames[1:] {
		for _, s := range must(c.Scopes(f.Id))(t) {
			if s.Name != "Registers" {
				continue
			}
			list := must(c.Variables(s.VariablesReference, 0, 0))(t)
			if len(list) != s.NamedVariables {
				t.Errorf("%s: %d registers, announced %d", f.Name, len(list), s.NamedVariables)
			}
			for _, v := range list {
				if _, slot, ok := strings.Cut(v.Type, ", saved at "); ok {
					saved++
					checkSlot(t, c, f.Name, v, slot)
				}
				if (v.Value == "not saved") != (v.EvaluateName == "") {
					t.Errorf("%s: %+v", f.Name, v)
				}
			}
			if pc := list[15]; pc.Name != "pc" || !strings.HasPrefix(pc.Value, f.InstructionPointerReference) {
				t.Errorf("%s: register 15 is %s = %s, want pc = %s", f.Name, pc.Name, pc.Value, f.InstructionPointerReference)
			}
		}
	}
	if saved == 0 {
		t.Error("no caller has a register that was saved")
	}
}

// checkSlot checks that the slot in which a register was saved holds its value,
// but for the Thumb bit of a return address.
func checkSlot(t *testing.T, c *dapclient.Client, frame string, v dap.Variable, slot string) {
	t.Helper()
	m := must(c.ReadMemory(slot, 0, 4))(t)
	word := must(base64.StdEncoding.DecodeString(m.Data))(t)
	value, _, _ := strings.Cut(v.Value, " ")
	want := uint32(must(strconv.ParseUint(value, 0, 32))(t))
	if got := binary.LittleEndian.Uint32(word); got != want && (v.Name != "pc" || got&^1 != want) {
		t.Errorf("%s: %s = %s, but its slot %s holds 0x%08x", frame, v.Name, v.Value, slot, got)
	}
}

// TestLastFrame checks that the last frame, and no other, says why the stack
// ends.
func TestLastFrame(t *testing.T) {
	t.Parallel()
	c := openDemo(t)
	frames := must(c.StackTrace(1, 0, 0))(t).StackFrames
	for i, f := range frames {
		end := ""
		for _, s := range must(c.Scopes(f.Id))(t) {
			if s.Name != "Unwind" {
				continue
			}
			for _, v := range must(c.Variables(s.VariablesReference, 0, 0))(t) {
				if v.Name == "stack ends here" {
					end = v.Value
				}
			}
		}
		if last := i == len(frames)-1; (end != "") != last {
			t.Errorf("frame %d of %d, %s: the stack ends here: %q", i, len(frames), f.Name, end)
		}
	}
}

// TestVariablePages asks for registers one by one.
func TestVariablePages(t *testing.T) {
	t.Parallel()
	c := openDemo(t)
	top := must(c.StackTrace(1, 0, 1))(t).StackFrames[0]
	ref := must(c.Scopes(top.Id))(t)[0].VariablesReference
	all := must(c.Variables(ref, 0, 0))(t)
	var single []dap.Variable
	for i := range all {
		single = append(single, must(c.Variables(ref, i, 1))(t)...)
	}
	if diff := cmp.Diff(all, single); diff != "" {
		t.Errorf("pages of one differ (-want +got):\n%s", diff)
	}
	if past := must(c.Variables(ref, len(all), 5))(t); len(past) != 0 {
		t.Errorf("%d variables past the end", len(past))
	}
}

// TestTrace checks that trace writes a line for each request.
func TestTrace(t *testing.T) {
	t.Parallel()
	c := startAdapter(t, nil)
	must(c.Initialize())(t)
	config := demoConfig(t)
	config["trace"] = true
	if err := c.Launch(config); err != nil {
		t.Fatal(err)
	}
	must(c.Threads())(t)
	must(c.Threads())(t)
	n := 0
	for _, m := range c.Received() {
		if m.Event == "output" && strings.Contains(string(m.Body), "threads (request ") {
			n++
		}
	}
	if n == 0 {
		t.Error("no request was traced")
	}
}
