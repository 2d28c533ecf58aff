// Package a32 decodes the A32 instruction set of ARMv4 to ARMv8-A. Control
// flow, Defs and the semantics of [insn.Inst] come from tables of its own,
// which are safe for concurrent use and know the VFP transfers that
// golang.org/x/arch/arm/armasm does not; the text comes from armasm, with its
// gaps filled here.
//
// M-profile cores execute T32 only: bytes of theirs must never get here, since
// A32 gives nearly every word a meaning.
//
// core/unwind and core/session import it. It does not follow control flow.
package a32

import "errors"

// ErrTruncated is returned when fewer than four bytes are given.
var ErrTruncated = errors.New("instruction is truncated")
