package dap

import (
	"encoding/base64"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-dap"
)

// dapGranularity converts the word of a test.
func dapGranularity(g string) dap.SteppingGranularity { return dap.SteppingGranularity(g) }

// TestLiveAssign changes registers and memory in each way that a client has.
func TestLiveAssign(t *testing.T) {
	t.Parallel()
	s := startLive(t, "m3-O0")
	s.attach(func() { s.breakAt("steps.c", "return y + 1") })
	s.goOn("breakpoint")
	frames := must(s.StackTrace(s.thread(), 0, 2))(t).StackFrames
	registers := s.scope(frames[0].Id, "Registers")
	if v := must(s.SetVariable(registers, "r4", "0x1234"))(t); !strings.Contains(v, "0x00001234") {
		t.Errorf("r4 is %s", v)
	}
	s.ok(s.Event("invalidated", nil))
	value := func(expr string) string { return must(s.Evaluate(expr, 0, "watch"))(t).Result }
	if got := value("$r4"); !strings.Contains(got, "1234") {
		t.Errorf("r4 is %s", got)
	}
	for _, x := range []struct{ expr, value, want string }{
		{"$r5", "$r4 + 1", "0x00001235"},
		{"*0x20003000", "0xcafe", "cafe"},
		{"counter", "76 + 1", "77"},
		{"station.state", "3", "3"},
	} {
		if got := must(s.SetExpression(x.expr, x.value, frames[0].Id))(t); !strings.Contains(got, x.want) {
			t.Errorf("%s is %s, want %s", x.expr, got, x.want)
		}
	}
	// r7 of the caller lies in the stack.
	callers := s.scope(frames[1].Id, "Registers")
	must(s.SetVariable(callers, "r7", "0x20001000"))(t)
	if got := must(s.Evaluate("$r7", frames[1].Id, "watch"))(t).Result; !strings.HasPrefix(got, "0x20001000") {
		t.Errorf("r7 of the caller is %s", got)
	}
	// An assignment has the value that the register has after it.
	for frame, expr := range []string{"$r6 = 0x20001004", "$r7 = 0x20001004"} {
		for range 2 {
			if got := must(s.Evaluate(expr, frames[frame].Id, "repl"))(t).Result; !strings.HasPrefix(got, "0x20001004") {
				t.Errorf("%s is %s", expr, got)
			}
		}
	}
	wantError(t, second(s.SetVariable(registers, "zero", "1")), errReadOnly)
	for _, err := range []error{
		second(s.SetVariable(callers, "r0", "1")), second(s.SetVariable(registers, "r0", "no_such")),
		second(s.SetExpression("station", "1", 0)), second(s.SetExpression("1", "1", 0)),
	} {
		wantError(t, err, errEvaluate)
	}
}

func second[T any](_ T, err error) error { return err }

// TestLiveMemory writes memory that stands and that runs.
func TestLiveMemory(t *testing.T) {
	t.Parallel()
	s := startLive(t, "m3-O0")
	s.attach(nil)
	read := func() string {
		body := must(s.ReadMemory("0x20003000", 4, 4))(t)
		return string(must(base64.StdEncoding.DecodeString(body.Data))(t))
	}
	if n := must(s.WriteMemory("0x20003000", 4, []byte("abcd")))(t); n != 4 || read() != "abcd" {
		t.Errorf("wrote %d bytes, now %q", n, read())
	}
	s.ok(s.Continue(s.thread()))
	must(s.WriteMemory("0x20003000", 4, []byte("efgh")))(t)
	s.ok(s.Pause(s.thread()))
	s.stop("pause")
	if read() != "efgh" {
		t.Errorf("memory is %q", read())
	}
	var custom struct{ Bytes []byte }
	s.ok(s.Call("read-memory", map[string]any{"address": "0x20003004", "length": 2}, &struct{ Bytes any }{}))
	s.ok(s.Call("write-memory", map[string]any{"address": 0x20003004, "data": "6a6b"}, nil))
	if read() != "jkgh" || custom.Bytes != nil {
		t.Errorf("memory is %q", read())
	}
	_, err := s.WriteMemory("0xffffffff", 0, []byte("ab"))
	wantError(t, err, errArgument)
}

// TestLiveConsole uses the commands of gdb in the Debug Console.
func TestLiveConsole(t *testing.T) {
	t.Parallel()
	s := startLive(t, "m3-O0")
	s.attach(nil)
	for _, x := range []struct{ line, want string }{
		{"help", "monitor TEXT"},
		{"monitor info version", "7."},
		{"mon info version", "7."},
		{"-exec monitor info version", "7."},
		{"$pc", "Reset_Handler"},
		{"p/x 16", "0x10"},
		{"print 3 + 4", "7"},
		{"info registers pc sp", "sp"},
		{"x/2xw 0", ": 0x"},
		{"x/2i $pc", "push"},
		{"bt", "Reset_Handler"},
		{"disassemble", "; Reset_Handler"},
		{"set var counter = 9", ""},
		{"p counter", "9"},
		{"counter = 11", "11"},
		{"counter == 11", "1"},
		{"++counter", "12"},
		{"set $r4 = 5", ""},
		{"info registers r4", "0x00000005"},
		{`printf "r4 %d %x\n", $r4, 255`, "r4 5 ff"},
		{"break factorial", "breakpoint"},
		{"tbreak steps.c:7", "steps.c:7"},
		{"p/x counter", "0xc"},
		{"print station.name", "0x"},
		{"p/x station.samples", "0x"},
		{"info locals", "from = 0x"},
		{"info breakpoints", "factorial"},
		{"info threads", "1"},
		{"set print pretty on", ""},
	} {
		body, err := s.Evaluate(x.line, 0, "repl")
		if x.line == "set print pretty on" {
			wantError(t, err, errEvaluate)
			continue
		}
		if err != nil || !strings.Contains(body.Result, x.want) {
			t.Errorf("%s: %q, %v; want %q", x.line, body.Result, err, x.want)
		}
	}
	wantError(t, second(s.Evaluate("counter = 1", 0, "hover")), errEvaluate)
	s.repl("continue")
	s.ok(s.Event("continued", nil))
	s.stop("breakpoint") // the temporary one
	s.at("leaf", 0)
	if args := must(s.Evaluate("info args", 0, "repl"))(t).Result; !strings.HasPrefix(args, "x = ") {
		t.Errorf("arguments of leaf: %q", args)
	}
	s.repl("c")
	s.stop("function breakpoint")
	s.repl("delete")
	s.repl("finish")
	s.stop("step")
	s.repl("-exec stepi")
	s.stop("step")
	s.repl("interrupt") // of a target that stands: nothing to do
	s.repl("detach")
	s.ok(s.Event("terminated", nil))
}

// TestLiveCompletions completes commands, registers and symbols.
func TestLiveCompletions(t *testing.T) {
	t.Parallel()
	s := startLive(t, "m3-O0")
	s.attach(nil)
	for text, want := range map[string]string{"mon": "monitor", "$r1": "$r10", "break facto": "factorial", "p coun": "counter", "": ""} {
		found := ""
		for _, item := range must(s.Completions(text))(t) {
			if item.Label == want {
				found = text[:item.Start-1] + item.Label
			}
		}
		if start := strings.LastIndexAny(text, " ") + 1; want != "" && found != text[:start]+want {
			t.Errorf("%q: %q, want %q", text, found, want)
		}
	}
}

// TestLiveOutput shows what the program prints.
func TestLiveOutput(t *testing.T) {
	t.Parallel()
	s := startLive(t, "m3-O0", "-semihosting-config", "enable=on,target=gdb")
	s.attach(nil)
	s.toMain()
	s.repl("set var command = 2")
	s.breakAt("steps.c", "int a = leaf(x)")
	s.goOn("breakpoint")
	if printed := s.printed(); !strings.Contains(printed, "a line from the target") {
		t.Errorf("printed %s", printed)
	}
}

// TestLiveFloats reads registers of the FPU, which QEMU gives one by one: of the
// frame that stopped, and of a caller whose functions saved none. Code without an
// FPU has none.
func TestLiveFloats(t *testing.T) {
	t.Parallel()
	s := startLive(t, "m4f-Og")
	s.attach(func() { s.breakAt("steps.c", "return y + 1") })
	s.goOn("breakpoint")
	frames := must(s.StackTrace(s.thread(), 0, 2))(t).StackFrames
	for _, expr := range []string{"$s3 = 2.5", "$s20 = -0.75"} {
		must(s.Evaluate(expr, frames[0].Id, "repl"))(t)
	}
	frames = must(s.StackTrace(s.thread(), 0, 2))(t).StackFrames
	for _, x := range []struct {
		frame      int
		expr, want string
	}{
		{0, "$s3", "2.5"}, {0, "$s20", "-0.75"}, {0, "$s3 + $s20", "1.75"}, {1, "$s20", "-0.75"},
	} {
		if got := must(s.Evaluate(x.expr, frames[x.frame].Id, "watch"))(t).Result; !strings.HasPrefix(got, x.want) {
			t.Errorf("%s in frame %d is %s, want %s", x.expr, x.frame, got, x.want)
		}
	}
	wantError(t, second(s.Evaluate("$s3", frames[1].Id, "watch")), errEvaluate) // a call may change it
	list := must(s.Variables(s.scope(frames[0].Id, "FP registers"), 0, 0))(t)
	i := slices.IndexFunc(list, func(v dap.Variable) bool { return v.Name == "s3" })
	if i < 0 || !strings.Contains(list[i].Value, "2.5") {
		t.Errorf("the scope has %+v", list)
	}

	none := startLive(t, "m3-O0")
	none.attach(nil)
	for _, scope := range must(none.Scopes(none.top().Id))(t) {
		if scope.Name == "FP registers" {
			t.Error("a core without an FPU has them")
		}
	}
	wantError(t, second(none.Evaluate("$s3", 0, "watch")), errEvaluate)
}
