package exc

// armStatus describes a value of a fault status field.
type armStatus struct {
	text string
	// async says that the abort was not that of the instruction it was taken
	// at, and left no address; noAddr that it left none.
	async, noAddr bool
}

// shortStatus holds the values of FS, bits 10 and 3..0 of DFSR and IFSR, where
// translation tables have short descriptors (Armv7-AR ARM table B3-23; Armv8-A
// ARM G8.2.39 for 0x15) and where there is an MPU instead, of which 0 is the
// background fault (chapter B5, "Fault status codes of a PMSA implementation").
var shortStatus = map[uint32]armStatus{
	0x00: {text: "background fault: no MPU region has the address"},
	0x01: {text: AlignmentFault},
	0x02: {text: "debug event", noAddr: true},
	0x03: {text: "access flag fault of a section"},
	0x04: {text: "fault of instruction cache maintenance"},
	0x05: {text: "translation fault of a section: the address is not mapped"},
	0x06: {text: "access flag fault of a page"},
	0x07: {text: "translation fault of a page: the address is not mapped"},
	0x08: {text: "synchronous external abort: the bus answered with an error"},
	0x09: {text: "domain fault of a section"},
	0x0b: {text: "domain fault of a page"},
	0x0c: {text: "external abort on the first level of a table walk"},
	0x0d: {text: "permission fault of a section or MPU region"},
	0x0e: {text: "external abort on the second level of a table walk"},
	0x0f: {text: "permission fault of a page"},
	0x10: {text: "TLB conflict abort"},
	0x14: {text: "lockdown abort, implementation defined"},
	0x15: {text: "exclusive access that the memory does not support"},
	0x16: {text: "asynchronous external abort", async: true},
	0x18: {text: "asynchronous parity error of memory", async: true},
	0x19: {text: "parity error of memory"},
	0x1a: {text: "coprocessor abort, implementation defined"},
	0x1c: {text: "parity error on the first level of a table walk"},
	0x1e: {text: "parity error on the second level of a table walk"},
}

// longStatus holds the values of STATUS, bits 5..0, where translation tables
// have long descriptors (Armv7-AR ARM table B3-24; Armv8-A ARM G8.2.39 for the
// address size faults and 0x35). Bits 1..0 of a value in longLevels tell the
// level of the table.
var longStatus = map[uint32]armStatus{
	0x10: {text: "synchronous external abort: the bus answered with an error"},
	0x11: {text: "asynchronous external abort", async: true},
	0x18: {text: "parity error of memory"},
	0x19: {text: "asynchronous parity error of memory", async: true},
	0x21: {text: AlignmentFault},
	0x22: {text: "debug event", noAddr: true},
	0x30: {text: "TLB conflict abort"},
	0x34: {text: "lockdown abort, implementation defined"},
	0x35: {text: "exclusive access that the memory does not support"},
	0x3a: {text: "coprocessor abort, implementation defined"},
	0x3d: {text: "domain fault of a section"},
	0x3e: {text: "domain fault of a page"},
}

// longLevels is longStatus by STATUS bits 5..2, for the values with a level.
var longLevels = map[uint32]string{
	0x0: "address size fault",
	0x1: "translation fault: the address is not mapped",
	0x2: "access flag fault",
	0x3: "permission fault",
	0x5: "external abort on a table walk",
	0x7: "parity error on a table walk",
}

// AlignmentFault is the Text of the [ArmCause] of an access that is not aligned.
const AlignmentFault = "alignment fault"
