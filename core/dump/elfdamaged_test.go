package dump

import "pushmask/core/coretest"

// damagedCases are files that a careless or an unlucky writer left.
func damagedCases() []elfCase {
	with := func(segs ...coretest.ELFSegment) coretest.ELFCore { return coretest.ELFCore{Segments: segs} }
	notes := coretest.NoteSegment(status(1, 0x20000010))
	ram := load(0x20000000, 32, 0)
	rawNote := func(namesz, descsz, typ uint32, rest ...byte) coretest.ELFSegment {
		return coretest.NoteSegment(append(coretest.Words(namesz, descsz, typ), rest...))
	}
	shifted := load(0x20000000, 32, 0)
	shifted.Offset = 52 + 2*32 + 3
	return []elfCase{
		{name: "notes_after_memory", core: with(ram, notes)},
		{name: "notes_in_two_segments", core: with(notes, ram, coretest.NoteSegment(coretest.VFP(0x10, 1)))},
		{name: "data_not_aligned", core: with(shifted, notes)},
		{name: "memory_truncated", core: with(notes, load(0x10000000, 16, 0), ram), cut: 12},
		{name: "memory_missing", core: with(notes, load(0x10000000, 16, 0), ram), cut: 40},
		{name: "notes_truncated_in_registers", core: with(ram, notes), cut: 60},
		{name: "notes_truncated_in_header", core: with(ram, notes), cut: 160},
		{name: "headers_truncated", core: with(coretest.ELFSegment{Type: 4, Offset: 1}, ram, ram), cut: 100},
		{name: "segment_of_no_bytes", core: with(notes, coretest.ELFSegment{Addr: 0x1000}, ram)},
		{name: "segments_overlap", core: with(notes, load(0x20000008, 8, 0xa0), ram)},
		{name: "segment_past_the_top", core: with(notes, load(0xfffffff0, 32, 0))},
		{name: "file_size_above_memory_size", core: with(notes, coretest.ELFSegment{Addr: 0x20000000, Data: make([]byte, 32), MemSize: 8})},
		{name: "count_in_section_0", core: coretest.ELFCore{Count: 0xffff, Segments: []coretest.ELFSegment{notes, ram}}},
		{name: "count_in_missing_section", core: coretest.ELFCore{Count: 0xffff, NoSection: true, Segments: []coretest.ELFSegment{notes, ram}}},
		{name: "count_gigantic", core: coretest.ELFCore{Count: 0xffff, XCount: 0xfffffff0, Segments: []coretest.ELFSegment{notes, ram}}},
		{name: "no_memory", core: with(notes)},
		{name: "no_registers", core: with(ram)},
		{name: "note_without_name", core: with(coretest.NoteSegment(coretest.RawELFNote(nil, 1, coretest.PRStatus{PID: 1}.Bytes())), ram)},
		{name: "note_name_without_nul", core: with(coretest.NoteSegment(coretest.RawELFNote([]byte("CORE"), 1, coretest.PRStatus{PID: 1}.Bytes())), ram)},
		{name: "note_name_gigantic", core: with(rawNote(0xffffffff, 4, 1, 'C', 'O', 'R', 'E'), ram)},
		{name: "note_descriptor_gigantic", core: with(rawNote(4, 0xffffffff, 1, 'C', 'O', 'R', 'E', 1, 2, 3, 4), ram)},
		{name: "note_sizes_zero", core: with(rawNote(0, 0, 0), ram)},
		{name: "registers_too_short", core: with(coretest.NoteSegment(coretest.ELFNote("CORE", 1, make([]byte, 136))), ram)},
		{name: "type_1_of_another_owner", core: with(coretest.NoteSegment(coretest.ELFNote("GNU", 1, make([]byte, 148)), status(1, 0)), ram)},
		{name: "file_note_gigantic", core: with(coretest.NoteSegment(status(1, 0), coretest.ELFNote("CORE", 0x46494c45, coretest.Words(0xffffffff, 4096, 1, 2, 3))), ram)},
		{name: "file_note_names_missing", core: with(coretest.NoteSegment(status(1, 0), coretest.ELFNote("CORE", 0x46494c45, coretest.Words(1, 4096, 0x1000, 0x2000, 3))), ram)},
		{name: "aux_without_end", core: with(coretest.NoteSegment(status(1, 0), coretest.ELFNote("CORE", 6, coretest.Words(3, 4, 9))), ram)},
		{name: "signal_note_short", core: with(coretest.NoteSegment(status(1, 0), coretest.ELFNote("CORE", 0x53494749, coretest.Words(11, 0))), ram)},
		{name: "psinfo_short", core: with(coretest.NoteSegment(status(1, 0), coretest.ELFNote("CORE", 3, coretest.Words(1, 2))), ram)},
	}
}
