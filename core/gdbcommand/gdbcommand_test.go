package gdbcommand

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestParse has lines of public launch configurations and of gdb's manual.
func TestParse(t *testing.T) {
	t.Parallel()
	tests := []struct {
		line string
		want Command
	}{
		{"", Empty{}},
		{"  # monitor reset", Empty{}},
		{"mon reset halt", Monitor{"reset halt"}},
		{"monitor rtt setup 0x20000000 2048 {SEGGER RTT}", Monitor{"rtt setup 0x20000000 2048 {SEGGER RTT}"}},
		{"target extended-remote localhost:3333", Connect{"localhost:3333", true}},
		{"target remote :2331", Connect{":2331", false}},
		{"attach 1", Attach{1}},
		{"disconnect", Detach{}},
		{"kill", Kill{}},
		{"load", Load{}},
		{`load "/home/a b/zephyr.elf"`, Load{File: "/home/a b/zephyr.elf"}},
		{`load C:\fw\app.elf 0x8000`, Load{`C:\fw\app.elf`, 0x8000}},
		{`load with\ space.elf -16`, Load{"with space.elf", -16}},
		{"restore build/cm33.elf binary", Restore{File: "build/cm33.elf", Binary: true}},
		{"restore f.bin binary 0x20000000", Restore{"f.bin", true, "0x20000000"}},
		{"flash-erase", FlashErase{}},
		{"starti", Run{RunToNothing}},
		{"r", Run{RunOn}},
		{"start", Run{RunToMain}},
		{"SoftwareReset", Reset{}},
		{"SoftwareReset 1", Reset{Halt: true}},
		{"EnableITMPorts 0x1", Ignored{"EnableITMPorts", "0x1"}},

		{"file build/app.elf", File{Path: "build/app.elf", Exec: true, Symbols: true}},
		{"exec-file a.elf", File{Path: "a.elf", Exec: true}},
		{"symbol-file -o 0x100 a.elf", File{Path: "a.elf", Symbols: true, Offset: 0x100}},
		{"remove-symbol-file bl2.elf", RemoveSymbolFile{Path: "bl2.elf"}},
		{`remove-symbol-file "-a b.elf"`, RemoveSymbolFile{Path: "-a b.elf"}},
		{"remove-sy -a 0x8000", RemoveSymbolFile{Address: 0x8000}},
		{"info files", Info{Topic: InfoFiles}}, {"i sha", Info{Topic: InfoFiles}}, {"info target", Info{Topic: InfoFiles}},
		{"add-symbol-file bl2.elf", AddSymbolFile{Path: "bl2.elf"}},
		{
			"add-symbol-file s.elf 0x10000 -readnow -s .data 0x20000000 -o -4",
			AddSymbolFile{"s.elf", true, 0x10000, -4, []Section{{".data", 0x20000000}}},
		},
		{"dir src:lib", Directory{[]string{"src", "lib"}}},
		{`directory C:\fw;D:/lib "a b"`, Directory{[]string{`C:\fw`, "D:/lib", "a b"}}},
		{"directory", Directory{}},
		{"set directories /src", Directory{[]string{"/src"}}},
		{"set substitute-path /build /home/me", SubstitutePath{"/build", "/home/me"}},
		{`set subst "/a b" C:\src`, SubstitutePath{"/a b", `C:\src`}},

		{"b main", Break{Location: Location{Function: "main"}}},
		{"break", Break{}},
		{"break if x > 1", Break{Condition: "x > 1"}},
		{"tb main.c:12", Break{Location: Location{File: "main.c", Line: 12}, Temporary: true}},
		{"thb setup", Break{Location: Location{Function: "setup"}, Temporary: true, Hardware: true}},
		{`hb C:\fw\src\main.c:7 if i == 3`, Break{Location: Location{File: `C:\fw\src\main.c`, Line: 7}, Hardware: true, Condition: "i == 3"}},
		{"b *0x8000100", Break{Location: Location{Address: "0x8000100"}}},
		{"b *&handler + 4 thread 2 if(x)", Break{Location: Location{Address: "&handler + 4"}, Thread: 2, Condition: "(x)"}},
		{"b +3", Break{Location: Location{Line: 3, Relative: true}}},
		{"b 42", Break{Location: Location{Line: 42}}},
		{"b main.c:init", Break{Location: Location{File: "main.c", Function: "init"}}},
		{"b boot.elf!main", Break{Location: Location{Image: "boot.elf", Function: "main"}}},
		{"b 'boot.elf'::main if x", Break{Location: Location{Image: "boot.elf", Function: "main"}, Condition: "x"}},
		{"tb app/zephyr.elf!ns::f<int>", Break{Location: Location{Image: "app/zephyr.elf", Function: "ns::f<int>"}, Temporary: true}},
		{"b 'boot.elf'::start.c:30", Break{Location: Location{Image: "boot.elf", File: "start.c", Line: 30}}},
		{"b boot.elf!start.c:Reset_Handler", Break{Location: Location{Image: "boot.elf", File: "start.c", Function: "Reset_Handler"}}},
		{"b ns::T::operator!", Break{Location: Location{Function: "ns::T::operator!"}}},
		{"b operator!=(T, T)", Break{Location: Location{Function: "operator!=(T, T)"}}},
		{"b ns::T::operator!(int)", Break{Location: Location{Function: "ns::T::operator!(int)"}}},
		{"b 'ns::f'", Break{Location: Location{Function: "ns::f"}}},
		{"b init:again", Break{Location: Location{Function: "init", Label: "again"}}},
		{"b ns::Widget::draw(int, char)", Break{Location: Location{Function: "ns::Widget::draw(int, char)"}}},
		{"b app::main::{closure#0}", Break{Location: Location{Function: "app::main::{closure#0}"}}},
		{`b "my file.c":9`, Break{Location: Location{File: "my file.c", Line: 9}}},
		{"b -source a.c -line 3", Break{Location: Location{File: "a.c", Line: 3}}},
		{"b -function f if g(1)", Break{Location: Location{Function: "f"}, Condition: "g(1)"}},
		{"watch counter if counter > 9", Watch{Expr: "counter", Condition: "counter > 9"}},
		{"rwatch -l p->x", Watch{Expr: "p->x", Access: Read, Address: true}},
		{"awatch *(int*)0x20000000", Watch{Expr: "*(int*)0x20000000", Access: ReadWrite}},
		{"d 1 3-5", Delete{[]int{1, 3, 4, 5}}},
		{"delete breakpoints", Delete{}},
		{"clear main", Clear{Location{Function: "main"}}},
		{"enable breakpoint", Enable{}},
		{"disable 2", Enable{[]int{2}, true}},
		{"condition 1 x==2", Condition{1, "x==2"}},
		{"condition 1", Condition{Number: 1}},
		{"set remote hardware-watchpoint-limit 2", HardwareLimit{true, 2}},
		{"set remote hardware-breakpoint-limit unlimited", HardwareLimit{false, -1}},

		{"c", Continue{}},
		{"continue&", Continue{}},
		{"cont 3", Continue{Ignore: 2}},
		{"interrupt", Interrupt{}},
		{"s", Step{Count: 1}},
		{"n 5", Step{Over: true, Count: 5}},
		{"stepi", Step{Instruction: true, Count: 1}},
		{"ni 2", Step{Instruction: true, Over: true, Count: 2}},
		{"fin", Finish{}},
		{"u", Until{}},
		{"until 12", RunTo{Location{Line: 12}}},
		{"advance f", RunTo{Location{Function: "f"}}},
		{"j operator& &", Jump{Location{Function: "operator&"}}},
		{"j *0x100", Jump{Location{Address: "0x100"}}},

		{"set var x = 5", SetVar{"x", "5"}},
		{"set x=5", SetVar{"x", "5"}},
		{"set p = 5", SetVar{"p", "5"}},
		{"set p->next = 0", SetVar{"p->next", "0"}},
		{"set var a[i == 2] = b = c", SetVar{"a[i == 2]", "b = c"}},
		{"set flags |= 4", SetVar{"flags", "flags | (4)"}},
		{"set var x <<= 1 + 1", SetVar{"x", "x << (1 + 1)"}},
		{"set $pc = main", SetRegister{"pc", "main"}},
		{"set $sp = *(uint32_t*)0x08000000", SetRegister{"sp", "*(uint32_t*)0x08000000"}},
		{"set *(uint32_t*)0xE000ED08=0x8000", SetMemory{"uint32_t", 4, "0xE000ED08", "0x8000"}},
		{"set *(volatile unsigned  char *) (0x40000000 + 4) = 1", SetMemory{"unsigned char", 1, "(0x40000000 + 4)", "1"}},
		{"set *0xE000ED0C = 0x05FA0004", SetMemory{"int", 4, "0xE000ED0C", "0x05FA0004"}},
		{"set {short}$sp = 2", SetMemory{"short", 2, "$sp", "2"}},
		{"set *(struct point *)p = q", SetVar{"*(struct point *)p", "q"}},
		{"set *ptr = 2", SetVar{"*ptr", "2"}},

		{"p/x $sp", Print{Expr: "$sp", Format: 'x'}},
		{"p*ptr", Print{Expr: "*ptr"}},
		{"print -pretty on -elements 4 -- x", Print{Expr: "x"}},
		{"print -x", Print{Expr: "-x"}},
		{"output 1+1", Print{Expr: "1+1", Bare: true}}, {"output/x v", Print{Expr: "v", Format: 'x', Bare: true}},
		{"p/r v", Print{Expr: "v", Raw: true}},
		{"ptype struct foo", Describe{Subject: "struct foo"}}, {"ptype/o v", Describe{Subject: "v", Offsets: true}},
		{"whatis *p", Describe{Subject: "*p", Brief: true}}, {"wha x", Describe{Subject: "x", Brief: true}},
		{"info address main", Info{InfoAddress, "main"}}, {"info fu ^a", Info{InfoFunctions, "^a"}},
		{"x/16xw 0x20000000", Examine{"0x20000000", 16, 'x', 'w'}},
		{"x/-3i $pc", Examine{"$pc", -3, 'i', 0}},
		{"x $sp", Examine{Expr: "$sp", Count: 1}},
		{"x", Examine{Count: 1}},
		{"i r", Info{Topic: InfoRegisters}},
		{"info registers r0 pc", Info{InfoRegisters, "r0 pc"}},
		{"i th", Info{Topic: InfoThreads}},
		{"i b", Info{Topic: InfoBreakpoints}},
		{"info stack 3", Backtrace{Count: 3}},
		{"bt full -5", Backtrace{-5, true}},
		{"where", Backtrace{}},
		{"disassemble /rs $pc,+16", Disassemble{"rs", "$pc,+16"}},
		{"t 2", Thread{2}},
		{"thread 1.3", Thread{3}},
		{"thread", Thread{}},
		{"thread apply all bt 3", ThreadApply{nil, Backtrace{Count: 3}}},
		{"thread apply 1 3-4 -q i r", ThreadApply{[]int{1, 3, 4}, Info{Topic: InfoRegisters}}},
		{"f 2", Frame{Level: 2}},
		{"up", Frame{1, true}},
		{"down 2", Frame{-2, true}},
		{"frame", Frame{0, true}},

		{`echo done\n`, Echo{"done\n"}},
		{`printf "x=%d, %s\n", f(1, 2), "a,b"`, Printf{"x=%d, %s\n", []string{"f(1, 2)", `"a,b"`}}},
		{"shell sleep 0.1", Sleep{100 * time.Millisecond}},
		{"with print pretty on -- bt", Backtrace{}},

		{"-target-download", Load{}},
		{"-exec-continue --all", Continue{}},
		{`-interpreter-exec console "monitor reset halt"`, Monitor{"reset halt"}},
		{`interpreter-exec console "load \"a b.elf\""`, Load{File: "a b.elf"}},
		{`interpreter-exec mi "-exec-next 2"`, Step{Over: true, Count: 2}},
		{"-break-insert -t -h --qualified main.c:12", Break{Location: Location{File: "main.c", Line: 12}, Temporary: true, Hardware: true}},
		{`-break-insert -c "x > 1" -f main`, Break{Location: Location{Function: "main"}, Condition: "x > 1"}},
		{"-break-watch -a counter", Watch{Expr: "counter", Access: ReadWrite}},
		{`-file-exec-and-symbols "C:/fw/a.elf"`, File{Path: "C:/fw/a.elf", Exec: true, Symbols: true}},
		{"-gdb-set mem inaccessible-by-default off", Ignored{"set mem", "inaccessible-by-default off"}},
		{"-data-evaluate-expression \"a + b\"", Print{Expr: "a + b"}},
		{"-enable-pretty-printing", Ignored{"-enable-pretty-printing", ""}},

		{"set mem inaccessible-by-default off", Ignored{"set mem", "inaccessible-by-default off"}},
		{"set remotetimeout 60", Ignored{"set remotetimeout", "60"}},
		{"set arch armv7e-m", Ignored{"set architecture", "armv7e-m"}},
		{"set p pretty on", Ignored{"set print", "pretty on"}},
		{"set confirm off", Ignored{"set confirm", "off"}},
		{"set arm force-mode thumb", Ignored{"set arm", "force-mode thumb"}},
		{"set target-async on", Ignored{"set target-async", "on"}},
		{"handle SIGUSR1 nostop", Ignored{"handle", "SIGUSR1 nostop"}},
		{"mem 0x08000000 0x0801FFFF ro", Ignored{"mem", "0x08000000 0x0801FFFF ro"}},
		{"tui enable", Ignored{"tui", "enable"}},
	}
	for _, tt := range tests {
		got, err := Parse(tt.line)
		if err != nil {
			t.Errorf("%s: %v", tt.line, err)
			continue
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.line, diff)
		}
		again, err := Parse(got.String())
		if diff := cmp.Diff(got, again); err != nil || diff != "" {
			t.Errorf("%s is %q, which is not the same: %v\n%s", tt.line, got, err, diff)
		}
	}
}

// TestUnsupported expects a reason for every command that cannot be done.
func TestUnsupported(t *testing.T) {
	t.Parallel()
	tests := []struct {
		line, verb, why string
		block           bool
	}{
		{"source .gdbinit", "source", "gdb scripts", false},
		{"define hook-stop", "define", "scripting language", true},
		{"python print(1)", "python", "scripting language", true},
		{"shell make", "shell", "preLaunchTask", false},
		{"!make", "shell", "preLaunchTask", false},
		{"call f()", "call", "no function", false},
		{"set exec-direction reverse", "set exec-direction", "backwards", false},
		{"target sim", "target", "GDB stubs", false},
		{"info vector", "info vector", "nothing to print", false},
		{"catch syscall", "catch", "not supported", false},
		{"-data-list-register-names", "-data-list-register-names", "programs that drive gdb", false},
		{"l", "list", "editor", false},
	}
	for _, tt := range tests {
		cmd, err := Parse(tt.line)
		got, ok := cmd.(Unsupported)
		if err != nil || !ok || got.Verb != tt.verb || !strings.Contains(got.Why, tt.why) || got.Block != tt.block {
			t.Errorf("%s: %#v, %v", tt.line, cmd, err)
		}
	}
}

// TestErrors has what gdb itself would refuse.
func TestErrors(t *testing.T) {
	t.Parallel()
	tests := []struct {
		line   string
		reason error
		text   string
	}{
		{"frobnicate 1", ErrUnknown, `no "frobnicate"`},
		{"*x", ErrUnknown, "begins with a name"},
		{"-no-such", ErrUnknown, "no GDB/MI command"},
		{"st", ErrAmbiguous, `"st" may be stack, start, starti, status, step, stepi, ...`},
		{"e", ErrAmbiguous, "echo"},
		{"set va", ErrAmbiguous, "variable"},
		{"info t", ErrAmbiguous, "threads"},
		{"monitor", ErrSyntax, "needs a command"},
		{"load a b c", ErrSyntax, "quotes"},
		{`load "a`, ErrSyntax, "not closed"},
		{"b main.c:", ErrSyntax, "not a location"},
		{"b -line x", ErrSyntax, "not a count"},
		{"b -function f -line 3", ErrSyntax, "not a location"},
		{"b f if", ErrSyntax, "expression is missing"},
		{"jump", ErrSyntax, "needs a location"},
		{"p", ErrSyntax, "expression is missing"},
		{"p (1", ErrSyntax, "missing"},
		{"p/q 1", ErrSyntax, "format of print"},
		{"x/4k 0", ErrSyntax, "neither a format nor a size"},
		{"set nonsense 4", ErrSyntax, "neither a setting"},
		{"set x =", ErrSyntax, "target and a value"},
		{"step x", ErrSyntax, "not a count"},
		{"add-symbol-file a.elf 0x123456789", ErrSyntax, "32 bits"},
		{"remove-symbol-file", ErrSyntax, "takes a file"},
		{"remove-symbol-file -b 4", ErrSyntax, "takes a file"},
		{"remove-symbol-file -a x", ErrSyntax, "32 bits"},
		{"b boot.elf!30", ErrSyntax, "neither a function nor a line of a file"},
		{"b boot.elf!*0x100", ErrSyntax, "neither a function nor a line of a file"},
		{"b boot.elf!app.elf!main", ErrSyntax, "neither a function nor a line of a file"},
		{"delete 1-2000000", ErrSyntax, "too long"},
		{"enable once 1", ErrSyntax, "tbreak"},
		{"printf 3", ErrSyntax, "double quotes"},
		{"thread apply all", ErrSyntax, "needs a command"},
		{"echo a\nkill", ErrSyntax, "control characters"},
		{strings.Repeat("thread apply all ", 20) + "bt", ErrSyntax, "too deeply"},
		{strings.Repeat("x", MaxLine+1), ErrSyntax, "longer than"},
	}
	for _, tt := range tests {
		cmd, err := Parse(tt.line)
		if cmd != nil || !errors.Is(err, tt.reason) || !strings.Contains(err.Error(), tt.text) {
			t.Errorf("%.60q: %v, %v; want %q", tt.line, cmd, err, tt.text)
		}
	}
}

// TestParseLines expects the blocks of gdb's scripting language to be one
// command each.
func TestParseLines(t *testing.T) {
	t.Parallel()
	got := ParseLines([]string{
		"define reset", "  if $argc", "monitor reset", "  end", "load", "end",
		"continue", "nonsense",
	})
	var lines []string
	for _, l := range got {
		lines = append(lines, l.Text)
		if (l.Err == nil) == (l.Command == nil) {
			t.Errorf("%q has command %v and error %v", l.Text, l.Command, l.Err)
		}
	}
	if diff := cmp.Diff([]string{"define reset", "continue", "nonsense"}, lines); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestNames expects every command to be reachable by its full name, and every
// reader to belong to a command.
func TestNames(t *testing.T) {
	t.Parallel()
	for name := range readers {
		if got, err := commandNames.resolve(name); err != nil || got != name {
			t.Errorf("%s resolves to %q, %v", name, got, err)
		}
	}
	for _, cli := range miSame {
		if readers[cli] == nil {
			t.Errorf("%s has no reader", cli)
		}
	}
	for name := range ignored {
		if readers[name] != nil || !commandNames.has(name) {
			t.Errorf("%s is ignored and is not only that", name)
		}
	}
	for _, r := range unsupportedReasons {
		for name := range r.verbs {
			if name != "shell" && readers[name] != nil || ignored[name] || !commandNames.has(name) {
				t.Errorf("%s is unsupported and is not only that", name)
			}
		}
	}
	for name := range unsupportedSettings {
		if !settingNames.has(name) {
			t.Errorf("%s is no setting", name)
		}
	}
	for topic := range topics {
		if !infoNames.has(string(topic)) {
			t.Errorf("%s is no topic", topic)
		}
	}
}

// FuzzParse expects a command or an error, and that a command's text is the
// same command.
func FuzzParse(f *testing.F) {
	for _, line := range []string{
		"mon reset", "b \"a b.c\":12 thread 1 if x == (1)", "hbreak *0x100", "set *(uint8_t*)0x4 |= 1", "set p = 2",
		"add-symbol-file a.elf 1 -s .data 2 -o 3", "x/-3xw $sp", "p -pretty -- /x 1", "thread apply 1 2 -q p 1",
		`-break-insert -c "a b" f`, `interpreter-exec console "echo \\040\\n "`, `printf "%d\n", 1`, "dir C:\\a;b",
		"b -function f -label l", "set substitute-path a b", "shell sleep 1.5", "set remote hardware-watchpoint-limit 4",
		"-gdb-set x = 1", "b 'boot.elf'::a.c:1", "tb boot.elf!main", "j&&", "remove-symbol-file -a 4", "info line a.c:1", "with a -- c 2", "define x", "!ls", "restore f binary 0x10",
	} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		cmd, err := Parse(line)
		if (err == nil) == (cmd == nil) {
			t.Fatalf("command %v and error %v", cmd, err)
		}
		if err != nil {
			var typed *Error
			if !errors.As(err, &typed) {
				t.Fatalf("the error is %T", err)
			}
			return
		}
		text := cmd.String()
		if len(text) > MaxLine {
			return
		}
		again, err := Parse(text)
		if err != nil {
			t.Fatalf("%q is %q: %v", line, text, err)
		}
		if diff := cmp.Diff(cmd, again); diff != "" {
			t.Fatalf("%q is %q, which is another command:\n%s", line, text, diff)
		}
	})
}
