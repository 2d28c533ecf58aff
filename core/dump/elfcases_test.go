package dump

import (
	"bytes"

	"pushmask/core/coretest"
)

// regs returns r0 to r12 = base+0 .. base+12 and the given others.
func regs(base, sp, lr, pc, psr uint32) (r [17]uint32) {
	for i := range r[:13] {
		r[i] = base + uint32(i)
	}
	r[13], r[14], r[15], r[16] = sp, lr, pc, psr
	return r
}

// status returns an NT_PRSTATUS note of an M-profile thread.
func status(pid int32, sp uint32) []byte {
	return coretest.PRStatus{Signal: 5, PID: pid, Regs: regs(0x100, sp, 0x0801, 0x0900, 0x01000003)}.Note()
}

// linuxStatus returns an NT_PRSTATUS note of a user-mode thread.
func linuxStatus(pid int32, signal int, pc uint32) []byte {
	return coretest.PRStatus{Signal: signal, PID: pid, Regs: regs(0x500, 0xbefff000, 0x10501, pc, 0x60000030)}.Note()
}

// task returns the two notes of a NuttX task.
func task(name string, pid int32, r [17]uint32) []byte {
	field := make([]byte, 32)
	copy(field, name+"\x00old stack garbage")
	return append(
		coretest.RawELFNote(field, 3, coretest.PRPSInfo(pid, name, "")),
		coretest.RawELFNote(field, 1, coretest.PRStatus{PID: pid, Regs: r}.Bytes())...)
}

// load returns a segment of n bytes: fill, fill+1, ...
func load(addr uint32, n int, fill byte) coretest.ELFSegment {
	b := make([]byte, n)
	for i := range b {
		b[i] = fill + byte(i)
	}
	return coretest.ELFSegment{Addr: addr, Data: b}
}

const mProfileXML = `<target><feature name="org.gnu.gdb.arm.m-profile"><reg name="xpsr" bitsize="32"/></feature></target>`

// elfCase is a core file that opens; its description is the golden
// testdata/elf/<name>.txt.
type elfCase struct {
	name string
	core coretest.ELFCore
	cut  int // bytes taken from the end
}

func (c elfCase) bytes() []byte {
	b := c.core.Bytes()
	return b[:len(b)-c.cut]
}

func elfCases() []elfCase {
	var all []elfCase
	for _, group := range [][]elfCase{linuxCases(), bareMetalCases(), nuttxCases(), damagedCases()} {
		all = append(all, group...)
	}
	return all
}

func linuxCases() []elfCase {
	segs := func(s ...coretest.ELFSegment) coretest.ELFCore {
		return coretest.ELFCore{Flags: 0x05000400, Segments: s}
	}
	psinfo := coretest.ELFNote("CORE", 3, coretest.PRPSInfo(1201, "pump_controller", "/opt/pump/pump_controller_main --fast "))
	aux := coretest.ELFNote("CORE", 6, coretest.Words(3, 0x400034, 9, 0x400501, 7, 0xb6f00000, 0, 0, 9, 1))
	file := coretest.FileNote(
		coretest.MappedFile{Start: 0x400000, End: 0x401000, Page: 0, Path: "/opt/pump/pump_controller_main"},
		coretest.MappedFile{Start: 0xb6e00000, End: 0xb6e10000, Page: 2, Path: "/lib/libc.so.6"})
	stack := load(0xbefff000, 64, 1)
	text := coretest.ELFSegment{Addr: 0x400000, MemSize: 0x1000}
	partly := coretest.ELFSegment{Addr: 0x410000, Data: bytes.Repeat([]byte{7}, 16), MemSize: 0x1000}
	return []elfCase{
		{name: "linux_kernel", core: segs(coretest.NoteSegment(
			linuxStatus(1203, 11, 0x400500), psinfo, coretest.SigInfo(11, 1, 0x00000004), aux, file,
			coretest.VFP(0x1000, 0x03000000), coretest.ELFNote("LINUX", 0x401, coretest.Words(0xb6ff1234)),
			linuxStatus(1201, 0, 0x400600), coretest.VFP(0x2000, 0), coretest.ELFNote("LINUX", 0x401, coretest.Words(1)),
			linuxStatus(1202, 0, 0x400700),
		), text, partly, stack)},
		{name: "linux_qemu_user", core: segs(coretest.NoteSegment(
			linuxStatus(77, 6, 0x10500), coretest.ELFNote("CORE", 3, coretest.PRPSInfo(77, "app", "./app")), aux,
			linuxStatus(78, 0, 0x10600)), stack)},
		{name: "linux_gdb", core: coretest.ELFCore{OSABI: 97, Segments: []coretest.ELFSegment{coretest.NoteSegment(
			psinfo, linuxStatus(5, 11, 0x10500), aux, coretest.ELFNote("GDB", 0xff000000, []byte(`<reg name="cpsr"/>`))), stack}}},
		{name: "linux_cut_down", core: segs(coretest.NoteSegment(psinfo, linuxStatus(5, 11, 0x10500)), stack)},
		{name: "linux_kill_has_no_fault_address", core: segs(coretest.NoteSegment(
			linuxStatus(5, 0, 0x10500), coretest.SigInfo(11, 0, 0x3e8)), stack)},
		{name: "linux_old_fpa_note", core: segs(coretest.NoteSegment(
			linuxStatus(5, 8, 0x10500), coretest.ELFNote("CORE", 2, make([]byte, 116)), aux), stack)},
	}
}

func bareMetalCases() []elfCase {
	gdb := func(notes ...[]byte) coretest.ELFCore {
		return coretest.ELFCore{OSABI: 97, Segments: []coretest.ELFSegment{
			coretest.NoteSegment(notes...), load(0, 32, 1), load(0x20000000, 16, 0x40), load(0x20000010, 16, 0x60), load(0x2000ff50, 64, 0x80),
		}}
	}
	xml := coretest.ELFNote("GDB", 0xff000000, append([]byte(mProfileXML), 0))
	return []elfCase{
		{name: "gdb_fpu", core: gdb(status(1, 0x2000ff50), coretest.VFP(0x3f800000, 0x10), xml)},
		{name: "gdb_no_description", core: gdb(status(1, 0x2000ff50))},
		{name: "gdb_for_linux", core: gdb(
			coretest.ELFNote("CORE", 3, coretest.PRPSInfo(0, "fw.elf", "/home/dev/fw.elf")), status(1, 0x2000ff50), xml)},
		{name: "gdb_description_first", core: gdb(xml, status(1, 0x2000ff50))},
		{name: "vfp_before_registers", core: gdb(coretest.VFP(0x10, 1), status(1, 0x2000ff50), xml)},
		{name: "vfp_before_each_thread", core: gdb(coretest.VFP(0x10, 1), status(1, 0x2000ff50), coretest.VFP(0x20, 2), status(2, 0x20000000), xml)},
		{name: "vfp_before_and_after", core: gdb(coretest.VFP(0x10, 1), status(1, 0x2000ff50), status(2, 0x20000000), coretest.VFP(0x20, 2), xml)},
		{name: "vfp_twice_first_counts", core: gdb(status(1, 0x2000ff50), coretest.VFP(0x10, 1), coretest.VFP(0x20, 2), xml)},
		{name: "special_registers", core: gdb(status(1, 0x2000ff50), coretest.ELFNote("PUSHMASK", 1, []byte(
			"msp\x00\x00\x00\x00\x00\x00\x00\x00\x00\x50\xff\x00\x20"+"psp\x00\x00\x00\x00\x00\x00\x00\x00\x00\x08\x00\x00\x20")))},
		{name: "vfp_short", core: gdb(status(1, 0x2000ff50), coretest.ELFNote("LINUX", 0x400, coretest.Words(1, 2, 3)), xml)},
		{name: "gdb_several_threads", core: gdb(status(1, 0x2000ff50), status(2, 0x20000000), status(2, 0x20000010), status(0, 0x20000018), status(-7, 0x20000018))},
		{name: "registers_without_note_of_gdb", core: coretest.ELFCore{Segments: []coretest.ELFSegment{
			coretest.NoteSegment(status(1, 0x20000000)), load(0x20000000, 8, 0)}}},
		{name: "mynewt", core: coretest.ELFCore{Segments: []coretest.ELFSegment{
			load(0x20000000, 16, 0), coretest.NoteSegment(coretest.ELFNote(".reg", 1, coretest.PRStatus{Regs: regs(0, 0x20000008, 1, 2, 0)}.Bytes())),
		}}},
		{name: "piksi", core: coretest.ELFCore{Segments: []coretest.ELFSegment{
			coretest.NoteSegment(coretest.PRStatus{PID: 1, Regs: regs(0, 0x20000008, 1, 2, 0x10)}.Note()),
			load(0x20000000, 16, 0), load(0x10000000, 16, 0), load(0xe000ed00, 0x40, 0),
		}}},
		{name: "cortex_a_by_cpsr", core: coretest.ELFCore{Segments: []coretest.ELFSegment{
			coretest.NoteSegment(coretest.PRStatus{PID: 1, Regs: regs(0, 0x8, 1, 2, 0x600001d3)}.Note()), load(0, 16, 0)}}},
		{name: "cortex_a_by_description", core: coretest.ELFCore{Segments: []coretest.ELFSegment{coretest.NoteSegment(
			coretest.PRStatus{PID: 1, Regs: regs(0, 0x8, 1, 2, 0)}.Note(), coretest.ELFNote("GDB", 0xff000000, []byte(`<reg name="cpsr"/>`))), load(0, 16, 0)}}},
	}
}

func nuttxCases() []elfCase {
	nuttx := func(segs ...coretest.ELFSegment) coretest.ELFCore {
		return coretest.ELFCore{Flags: 0x05000400, Align: 64, Segments: segs}
	}
	info := make([]byte, 176)
	for off, s := range map[int]string{0: "NuttX", 53: "12.10.0", 74: "f00dcafe Jan 25 2025", 125: "arm"} {
		copy(info[off:], s)
	}
	infoNote := coretest.NoteSegment(coretest.RawELFNote(append([]byte("NuttX"), make([]byte, 27)...), 0x434f5245, info))
	idle := task("Idle_Task", 0, regs(0x10, 0x20000118, 0x301, 0x300, 0x01000000))
	waiting := task("hpwork", 1, regs(0x20, 0x20000248, 0x401, 0x400, 0x01000000))
	running := task("nsh_main", 3, regs(0x30, 0x200003a0, 0x501, 0x500, 0x01000000))
	stacks := []coretest.ELFSegment{load(0x20000100, 0x40, 0), load(0x20000240, 0x40, 0), load(0x20000300, 0x100, 0)}
	ram := load(0x20000000, 0x600, 0x55)
	unnamed := func(pid int32, r [17]uint32) []byte {
		return append(coretest.RawELFNote(nil, 3, coretest.PRPSInfo(pid, "", "")),
			coretest.RawELFNote(nil, 1, coretest.PRStatus{PID: pid, Regs: r}.Bytes())...)
	}
	return []elfCase{
		{name: "nuttx_crashed_first", core: nuttx(coretest.NoteSegment(running, idle, waiting), stacks[2], stacks[0], stacks[1], ram, infoNote)},
		{name: "nuttx_crashed_last_no_info", core: nuttx(coretest.NoteSegment(idle, waiting, running), stacks[0], stacks[1], stacks[2])},
		{name: "nuttx_info_note_first", core: nuttx(infoNote, coretest.NoteSegment(running), stacks[2])},
		{name: "nuttx_unnamed", core: nuttx(coretest.NoteSegment(
			unnamed(0, regs(1, 0x20000118, 3, 4, 0x01000000)), unnamed(2, regs(1, 0x200003a0, 3, 4, 0x01000000))), stacks[0], stacks[2])},
		{name: "nuttx_name_only_in_psinfo", core: nuttx(coretest.NoteSegment(
			coretest.RawELFNote(nil, 3, coretest.PRPSInfo(4, "init", "")),
			coretest.RawELFNote(nil, 1, coretest.PRStatus{PID: 4, Regs: regs(1, 0x20000118, 3, 4, 0)}.Bytes())), stacks[0])},
		{name: "nuttx_from_outside", core: nuttx(coretest.NoteSegment(
			coretest.ELFNote("CORE", 3, coretest.PRPSInfo(4, "init", "")),
			coretest.PRStatus{PID: 4, Regs: regs(1, 0x20000118, 3, 4, 0)}.Note()), stacks[0], infoNote)},
		{name: "nuttx_smp_idle_never_saved", core: nuttx(coretest.NoteSegment(
			task("CPU0 IDLE", 0, regs(1, 0x20000148, 3, 4, 0x6000017f)),
			task("CPU1 IDLE", 1, [17]uint32{13: 0x20000600})), load(0x20000100, 0x100, 0), coretest.ELFSegment{Addr: 0x20000600})},
		{name: "nuttx_no_task_runs", core: nuttx(coretest.NoteSegment(idle, waiting), stacks[0], stacks[1])},
	}
}
