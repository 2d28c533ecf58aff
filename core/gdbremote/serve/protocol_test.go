package serve

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"pushmask/core"
	"pushmask/core/gdbremote/rsp"
	"pushmask/core/session"
)

// TestPackets asks a crash with two threads what gdb asks.
func TestPackets(t *testing.T) {
	t.Parallel()
	p := connect(t, openStub(t, "demo", "crash.core", Options{}))
	const refused = "E." + readOnly
	for _, test := range []struct{ request, want string }{
		{"?", "T0b0d:100f0020;0f:10040000;thread:1;"},
		{"!", "OK"},
		{"qC", "QC1"},
		{"qAttached", "1"},
		{"qOffsets", "Text=0;Data=0;Bss=0"},
		{"qSymbol::", "OK"},
		{"vMustReplyEmpty", ""},
		{"vCont?", "vCont;c;C;s;S"},
		{"qfThreadInfo", "m1,2"},
		{"qsThreadInfo", "l"},
		{"T1", "OK"},
		{"T3", "E16"},
		{"T", "E16"},
		{"Hg2", "OK"},
		{"pf", "d2000000"},
		{"Hg3", "E16"},
		{"H", "E16"},
		{"Hgz", "E16"},
		{"pf", "d2000000"}, // what is wrong selects nothing
		{"Hg0", "OK"},
		{"pf", "10040000"},
		{"p19", "03000041"},
		{"p10", "E16"}, // 16 to 24 are those of the FPA
		{"p", "E16"},
		{"m20000000,8", "ac04000040000020"},
		{"m0,4", "00100020"},    // from the ELF
		{"m20000ffe,8", "ffff"}, // as much as there is
		{"m30000000,4", "E0e"},
		{"m20000000", "E0e"},
		{"mfffffffc,8", "E0e"},
		{"x20000000,4", "b\xac\x04\x00\x00"},
		{"M20000000,1:00", refused},
		{"X20000000,1:\x00", refused},
		{"G00", refused},
		{"P0=00000000", refused},
		{"Z0,1dc,2", refused},
		{"Z1,1dc,2", refused},
		{"z0,1dc,2", refused},
		{"vRun;66", refused},
		{"vFlashErase:0,400", refused},
		{"vFlashDone", refused},
		{"vKill;1", "OK"},
		{"vAttach;1", "T0b0d:100f0020;0f:10040000;thread:1;"},
		{"vFile:open:2f6574632f706173737764,0,0", "F-1,2"}, // "/etc/passwd"
		{"vFile:pread:3,10,0", "F-1,16"},                   // not open
		{"vFile:unlink:00", ""},
		{"qRcmd,zz", "E16"},
		{"qRcmd,68616c74", "OK"}, // halt
		{"qXfer:features:read:other.xml:0,10", "E00"},
		{"qXfer:features:read:target.xml:zz", "E00"},
		{"qXfer:features:write:target.xml:0:00", ""},
		{"qXfer:auxv:read::0,10", ""},
		{"jThreadsInfo", ""},
		{"unknown", ""},
		{"", ""},
		{"D", "OK"},
	} {
		if got := p.reply(test.request); got != test.want {
			t.Errorf("%q: %q, want %q", test.request, got, test.want)
		}
	}
}

// TestResume: whatever asks the machine to run ends in a stop where the thread
// stands, with a line for the user, and never as a step that was made.
func TestResume(t *testing.T) {
	t.Parallel()
	halted := connect(t, openStub(t, "interrupt", "crash.core", Options{}))
	if got := halted.reply("?"); !strings.HasPrefix(got, "T05") {
		t.Errorf("a machine that was halted stops with %q", got)
	}
	if got, printed := halted.ask("s"); !strings.HasPrefix(got, "T02") || printed != atRest {
		t.Errorf("step: %q, printed %q", got, printed)
	}
	p := connect(t, openStub(t, "demo", "crash.core", Options{}))
	for request, thread := range map[string]string{
		"c": "1", "s": "1", "C0b": "1", "S0b": "1", "vCont;c": "1", "vCont;s:2;c": "2", "vCont;s:2": "2",
		"vCont;C0b:1;c": "1", "vCont;s:7": "1", "vCont": "1", "vCont;:2": "1",
	} {
		if got, printed := p.ask(request); !strings.HasPrefix(got, "T0") || !strings.HasSuffix(got, "thread:"+thread+";") || printed != atRest {
			t.Errorf("%s: %q, printed %q", request, got, printed)
		}
	}
}

// TestLLDBPackets: a client that knows thread suffixes is answered as lldb
// needs it.
func TestLLDBPackets(t *testing.T) {
	t.Parallel()
	p := connect(t, openStub(t, "demo", "crash.core", Options{}))
	for _, test := range []struct{ request, want string }{
		{"QThreadSuffixSupported", "OK"},
		{"QListThreadsInStopReply", "OK"},
		{"x0,0", "OK"},
		{"x20000000,4", "\xac\x04\x00\x00"},
		{"m20000ffe,400", "ffff"}, // cut at the end of the memory
		{"m400,200", "E0e"},       // lldb 16 cannot take a part of a line of its cache
		{"pf;thread:0002;", "d2000000"},
		{"pf;thread:0009;", "E16"},
		{"pf;thread", "E16"},
		{"p1a;thread:0002;", "0000000000000000"}, // d0, which the exception did not stack
		{"M20000000,1:00", "E16"},
		{"QEnableErrorStrings", "OK"},
		{"qMemoryRegionInfo:20000010", "start:20000000;size:1000;permissions:rwx;"},
		{"qMemoryRegionInfo:10", "start:0;size:4fc;permissions:rx;"},
		{"qMemoryRegionInfo:30000000", "start:20001000;size:c000dd00;"},
		{"qMemoryRegionInfo:ffffffff", "start:e000ef40;size:1fff10c0;"},
		{"qMemoryRegionInfo:", "E16"},
		{"qThreadStopInfo2", "T000d:780f0020;0f:d2000000;thread:2;hexname:696e74657272757074656420627920486172644661756c74;threads:1,2;"},
		{"qThreadStopInfo5", "E16"},
	} {
		if got := p.reply(test.request); got != test.want {
			t.Errorf("%q: %q, want %q", test.request, got, test.want)
		}
	}
	interrupted := connect(t, openStub(t, "interrupt", "crash.core", Options{}))
	interrupted.reply("QThreadSuffixSupported")
	if got := interrupted.reply("g;thread:0002;"); got != "E16" {
		t.Errorf("registers that are not known: %q, want E16", got)
	}
	data, err := rsp.Unescape(p.reply("x0,400"))
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.IndexByte(data, 'E')
	if at < 0 || at+3 > len(data) {
		t.Fatal("the code has no byte that an error begins with")
	}
	if got := p.reply(fmt.Sprintf("x%x,3", at)); got != string(data[at:at+2]) {
		t.Errorf("three bytes that look like an error: %q", got)
	}
	if got := p.reply("P0=00"); !strings.HasPrefix(got, "E16;") || unhex(t, got[4:]) != readOnly {
		t.Errorf("an error with text is %q", got)
	}
	stop := p.reply("?")
	_, text, _ := strings.Cut(stop, "description:")
	text, _, _ = strings.Cut(text, ";")
	if got := unhex(t, text); !strings.HasPrefix(got, "HardFault: `ldr r3, [r3, #0]`") {
		t.Errorf("the stop is described as %q", got)
	}
	if got := p.reply("k"); got != "X09" {
		t.Errorf("kill: %q", got)
	}
	if _, err := rsp.Read(p.r); err == nil {
		t.Error("the connection outlives the kill")
	}
}

// TestDocuments: what is sent in pieces is XML that says what is there.
func TestDocuments(t *testing.T) {
	t.Parallel()
	p := connect(t, openStub(t, "nested", "crash.core", Options{}))
	for object, parts := range map[string][]string{
		"features:read:target.xml": {
			`<feature name="org.gnu.gdb.arm.m-profile">`, `<reg name="xpsr" bitsize="32" type="int" regnum="25"`,
			`<feature name="org.gnu.gdb.arm.m-system">`, `name="msp"`, `name="psp"`, `generic="pc"`,
		},
		"memory-map:read:": {`<memory type="rom" start="0x20000000" length="0x1000"/>`},
		"threads:read:": {
			`<thread id="1">HardFault</thread>`, `<thread id="2" name="interrupted by HardFault"></thread>`,
			`<thread id="3" name="interrupted by SysTick"></thread>`,
		},
	} {
		doc := p.document(object)
		for _, part := range parts {
			if !strings.Contains(doc, part) {
				t.Errorf("%s lacks %s:\n%s", object, part, doc)
			}
		}
		for dec := xml.NewDecoder(strings.NewReader(doc)); ; {
			if _, err := dec.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", object, err)
			}
		}
	}
	if got := p.document("exec-file:read:"); !strings.HasSuffix(got, "nested/fw.elf") || got[0] != '/' {
		t.Errorf("the ELF is %q", got)
	}
}

// TestFile reads the ELF as a gdb does that was started without one.
func TestFile(t *testing.T) {
	t.Parallel()
	stub := openStub(t, "demo", "crash.core", Options{})
	p := connect(t, stub)
	open := "vFile:open:" + hexOf(stub.path) + ",0,0"
	for _, test := range []struct{ request, want string }{
		{"vFile:setfs:0", "F0"},
		{open, "F3"},
		{open, "F3"},
		{"vFile:close:3", "F0"},
		{"vFile:pread:3,4,0", "F4;\x7fELF"},
		{"vFile:pread:3,4,ffffffff", "F0;"},
		{"vFile:pread:3,zz,0", "F-1,16"},
		{"vFile:pread:4,4,0", "F-1,16"},
		{"vFile:close:3", "F0"},
		{"vFile:close:3", "F-1,16"},
		{"vFile:fstat:3", "F-1,16"},
	} {
		if got := p.reply(test.request); got != test.want {
			t.Errorf("%q: %q, want %q", test.request, got, test.want)
		}
	}
	p.reply(open)
	if got := p.reply("vFile:fstat:3"); !strings.HasPrefix(got, "F40;") || len(got) < 68 {
		t.Errorf("fstat: %q", got)
	}
}

func hexOf(text string) string {
	const digits = "0123456789abcdef"
	var b strings.Builder
	for i := range len(text) {
		b.WriteByte(digits[text[i]>>4])
		b.WriteByte(digits[text[i]&15])
	}
	return b.String()
}

// TestMonitor: commands print, and those that a live target would have are no
// error.
func TestMonitor(t *testing.T) {
	t.Parallel()
	p := connect(t, openStub(t, "demo", "crash.core", Options{Monitor: []Command{
		{Name: "echo", Help: "says it again", Run: func(_ context.Context, w io.Writer, args []string) error {
			_, err := io.WriteString(w, strings.Repeat(strings.Join(args, " "), 400)+"\n")
			return err
		}},
		{Name: "fail", Help: "fails", Run: func(context.Context, io.Writer, []string) error { return io.ErrUnexpectedEOF }},
	}}))
	for command, want := range map[string]string{
		"echo a  b":  strings.Repeat("a b", 400) + "\n",
		"fail":       "pushmask: unexpected EOF\n",
		"halt":       "",
		"reset halt": "pushmask: \"reset\" does nothing to a crash; \"monitor help\" lists what there is\n",
		"": "This is a crash that pushmask serves: it can be examined and neither run nor changed.\n" +
			"monitor echo     says it again\nmonitor fail     fails\n",
	} {
		if reply, printed := p.ask("qRcmd," + hexOf(command)); reply != "OK" || printed != want {
			t.Errorf("monitor %s: %q, printed %q", command, reply, printed)
		}
	}
}

// TestAcknowledgements: damaged packets are asked for again, and an answer is
// sent again when the client asks.
func TestAcknowledgements(t *testing.T) {
	t.Parallel()
	p := connect(t, openStub(t, "demo", "crash.core", Options{}))
	p.reply("qC")
	go p.write("-")
	if f := p.read(); string(f.Payload) != "QC1" {
		t.Errorf("sent again: %q", f.Payload)
	}
	go p.write("garbage\x03+$* #4a$qC#b4") // a run of nothing is no packet
	if f := p.read(); string(f.Payload) != "QC1" {
		t.Errorf("after garbage: %q", f.Payload)
	}
}

// TestStackPointers: SP of a handler is MSP, SP of a thread what CONTROL says.
func TestStackPointers(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name     string
		profile  core.Profile
		set      map[core.Reg]uint32
		msp, psp bool
	}{
		{"handler", core.ProfileM, map[core.Reg]uint32{core.SP: 8, core.PSR: 3}, true, false},
		{"thread on the main stack", core.ProfileM, map[core.Reg]uint32{core.SP: 8, core.PSR: 1 << 24, core.CONTROL: 0}, true, false},
		{"thread on the process stack", core.ProfileM, map[core.Reg]uint32{core.SP: 8, core.PSR: 1 << 24, core.CONTROL: 2}, false, true},
		{"thread", core.ProfileM, map[core.Reg]uint32{core.SP: 8, core.PSR: 1 << 24}, false, false},
		{"no status", core.ProfileM, map[core.Reg]uint32{core.SP: 8}, false, false},
		{"A", core.ProfileA, map[core.Reg]uint32{core.SP: 8, core.PSR: 0x13}, false, false},
	} {
		var regs core.Regs
		for r, v := range test.set {
			regs.Set(r, v)
		}
		completeStackPointers(test.profile, &regs)
		if regs.Has(core.MSP) != test.msp || regs.Has(core.PSP) != test.psp {
			t.Errorf("%s: MSP %v, PSP %v", test.name, regs.Has(core.MSP), regs.Has(core.PSP))
		}
	}
}

// TestStandingFirst: the thread that clients stop in has a PC.
func TestStandingFirst(t *testing.T) {
	t.Parallel()
	var with core.Regs
	with.Set(core.PC, 8)
	threads := []session.DebuggerThread{{Thread: core.Thread{ID: 1}}, {Thread: core.Thread{ID: 2}, Regs: with}, {Thread: core.Thread{ID: 3}, Regs: with}}
	if err := standingFirst(threads); err != nil || threads[0].ID != 2 || threads[1].ID != 1 {
		t.Errorf("%v, first thread %d, second %d", err, threads[0].ID, threads[1].ID)
	}
	if err := standingFirst(threads[1:2]); !errors.Is(err, ErrNoPC) {
		t.Errorf("no thread with a PC: %v", err)
	}
	if err := standingFirst(nil); !errors.Is(err, ErrNoPC) {
		t.Errorf("no thread: %v", err)
	}
}

// TestNoMemory serves registers alone: gdb is not told of a memory map.
func TestNoMemory(t *testing.T) {
	t.Parallel()
	log := filepath.Join(t.TempDir(), "crash.log")
	write(t, log, []byte("up_registerdump: R0: 00000001 00000002 00000003 00000004 00000005 00000006 00000007 00000008\n"+
		"up_registerdump: R8: 00000009 0000000a 0000000b 0000000c 0000000d 20001000 08000101 08000200\n"+
		"up_registerdump: xPSR: 01000000 BASEPRI: 00000000 CONTROL: 00000000\n"))
	p := connect(t, newStub(t, openSession(t, "", log, core.Regs{}), Options{}))
	if got := p.reply("qSupported"); strings.Contains(got, "memory-map") || strings.Contains(got, "exec-file") {
		t.Errorf("offered: %s", got)
	}
	for request, want := range map[string]string{
		"qXfer:memory-map:read::0,100": "", "qXfer:exec-file:read::0,100": "", "m20001000,4": "E0e", "pf": "00020008",
		"qMemoryRegionInfo:0": "start:0;size:100000000;", "vFile:open:,0,0": "F-1,2",
	} {
		if got := p.reply(request); got != want {
			t.Errorf("%s: %q, want %q", request, got, want)
		}
	}
}
