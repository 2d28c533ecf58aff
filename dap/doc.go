// Package dap serves the Debug Adapter Protocol for crash dumps and live targets
// of 32-bit ARM programs: an editor launches a session with a firmware image and
// a dump or a GDB server and gets threads, stacks, registers, memory and
// disassembly, and of a live target breakpoints and steps too.
//
// [Serve] runs one session on any stream, [Listen] runs sessions on TCP. The
// package translates between the protocol and core/session and core/runcontrol;
// it knows nothing of file formats, unwinding or packets. Clause names in
// comments ("StackFrame", "Requests, disassemble") are those of the Debug Adapter
// Protocol specification, version 1.65.
package dap
