package session

import (
	"context"
	"slices"
	"strings"
	"testing"

	"pushmask/core"
)

func TestCause(t *testing.T) {
	t.Parallel()
	type regs = map[core.Reg]uint32
	// scs is CFSR, HFSR, DFSR, MMFAR, BFAR at 0xe000ed28.
	scs := func(cfsr, hfsr, bfar uint32) []byte {
		var b []byte
		for _, v := range []uint32{cfsr, hfsr, 0, 0, bfar} {
			b = append(b, le32(v)...)
		}
		return b
	}
	const precise, forced = 0x8200, 0x40000000
	tests := []struct {
		name    string
		profile core.Profile
		signal  int
		regs    regs
		scs     []byte
		code    uint16 // at 0x1000
		cause   string
		parts   []string // of description and details
	}{
		{"fault registers in the handler", core.ProfileM, 5, regs{core.PSR: 3}, scs(precise, forced, 0xb0000000), 0,
			"HardFault", []string{"precise data bus error", "0xb0000000", "escalated", "CFSR"}},
		{"bus fault handler", core.ProfileM, 5, regs{core.PSR: 5}, scs(precise, 0, 0xb0000000), 0, "BusFault", []string{"precise"}},
		{"handler without fault registers", core.ProfileM, 5, regs{core.PSR: 3}, nil, 0, "HardFault", []string{"no fault registers"}},
		{"handler without a cause", core.ProfileM, 5, regs{core.PSR: 6}, scs(0, 0, 0), 0, "UsageFault", []string{"state no cause"}},
		{"registers before the fault", core.ProfileM, 0, regs{core.PSR: 0x01000000}, scs(precise, forced, 0), 0, "HardFault", []string{"may be an old one"}},
		{"survived fault", core.ProfileM, 0, regs{core.PSR: 0x01000000}, scs(1<<25, 0, 0), 0, "UsageFault", []string{"division by zero", "old one"}},
		{"breakpoint", core.ProfileM, 5, regs{core.PC: 0x1001}, nil, 0xbe00, "Breakpoint", []string{"BKPT"}},
		{"halted in an interrupt", core.ProfileM, 5, regs{core.PSR: 15}, nil, 0, "Halted", []string{"does not say why", "SysTick was active"}},
		{"halted", core.ProfileM, 5, regs{core.PC: 0x1000}, nil, 0x4770, "Halted", []string{"does not say why"}},
		{"signal of a bare-metal core", core.ProfileM, 11, nil, nil, 0, "SIGSEGV", []string{"invalid memory access"}},
		{"Linux signal", core.ProfileA, 11, nil, nil, 0, "SIGSEGV", []string{"access to address 0x10 through a null pointer (invalid memory access)"}},
		{"Linux trap", core.ProfileA, 5, nil, nil, 0, "SIGTRAP", []string{"breakpoint"}},
		{"unknown signal", core.ProfileA, 99, nil, nil, 0, "signal 99", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			target := oneThread(tt.profile, tt.signal, tt.regs)
			target.threads[0].FaultAddr, target.threads[0].HasFaultAddr = 0x10, tt.profile == core.ProfileA
			if tt.scs != nil {
				target.mem.AddBytes(0xe000ed28, tt.scs)
			}
			target.mem.AddBytes(0x1000, []byte{byte(tt.code), byte(tt.code >> 8)})
			c := openFake(t, nil, target).Cause(context.Background(), 1)
			if c.Name != tt.cause || c.Description == "" {
				t.Errorf("cause %+v, want %s with a description", c, tt.cause)
			}
			text := strings.Join(slices.Concat([]string{c.Description}, c.Notes, c.Details), "\n")
			for _, part := range tt.parts {
				if !strings.Contains(text, part) {
					t.Errorf("%q lacks %q", text, part)
				}
			}
		})
	}
}

func TestCauseOfUnknownThread(t *testing.T) {
	t.Parallel()
	s := openFake(t, nil, oneThread(core.ProfileM, 0, nil))
	if c := s.Cause(context.Background(), 9); c.Name != "" || c.Description != "" {
		t.Errorf("unknown thread has cause %+v", c)
	}
}
