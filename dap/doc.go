// Package dap serves the Debug Adapter Protocol for crash dumps of 32-bit ARM
// programs: an editor launches a session with a firmware image and a dump and
// gets threads, stacks, registers, memory and disassembly.
//
// [Serve] runs one session on any stream, [Listen] runs sessions on TCP. The
// package translates between the protocol and core/session; it knows nothing
// of file formats or unwinding. Clause names in comments ("StackFrame",
// "Requests, disassemble") are those of the Debug Adapter Protocol
// specification, version 1.65.
package dap
