package oracle

import (
	"encoding/binary"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestShadowThreads follows a kernel: SVC starts the first thread, PendSV
// switches to a second that never ran and back in the middle of a call.
func TestShadowThreads(t *testing.T) {
	t.Parallel()
	const (
		msp          = 0x20008000
		first        = 0x20001000 // hardware frames of the two threads
		second       = 0x20002000
		svCall       = 11
		msrPSP, bxLR = 0x1042, 0x1046
	)
	stacked := map[uint32]uint32{first: 0x1030, second: 0x1020, msp - 0x20: 0x1008} // PCs
	read := func(addr uint32, p []byte) error {
		for frame, pc := range stacked {
			if off := int(frame) + 24 - int(addr); off >= 0 && off+4 <= len(p) {
				binary.LittleEndian.PutUint32(p[off:], pc)
			}
		}
		return nil
	}
	s := shadow{prog: thumbProgram("handler", map[uint32][]uint16{
		0x1030: bl, msrPSP: {0xf380, 0x8809}, bxLR: {0x4770},
	})}
	write := func(number, sp, psp uint32) state {
		w := in(number, msrPSP, sp, 0xfffffffd)
		w.special = specialWrite{sysPSP, psp}
		return w
	}
	check := func(what string, want ...uint32) {
		t.Helper()
		if diff := cmp.Diff(want, returns(&s)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}

	follow(t, &s, []state{
		at(0x1008, msp, 0), in(svCall, 0x1040, msp-0x20, 0xfffffff9), write(svCall, msp-0x20, first), in(svCall, bxLR, msp-0x20, 0xfffffffd),
	}, read)
	check("PSP is written for the first thread", 0x1008)
	if f := s.frames[0]; f.certainty != open {
		t.Errorf("whether the main stack goes on is %d, want not known", f.certainty)
	}
	follow(t, &s, []state{in(svCall, bxLR, msp-0x20, 0xfffffffd), at(0x1030, first+0x20, 0)}, read)
	check("the first thread runs")

	call := at(0x1010, first+0x20, 0x1035)
	follow(t, &s, []state{at(0x1030, first+0x20, 0), call}, read)
	stacked[first] = call.pc
	follow(t, &s, []state{call, in(pendSV, 0x1040, msp-0x20, 0xfffffffd), write(pendSV, msp-0x20, second)}, read)
	check("before PSP is written", 0x1034, 0x1010)
	follow(t, &s, []state{write(pendSV, msp-0x20, second), in(pendSV, bxLR, msp-0x20, 0xfffffffd)}, read)
	check("behind it", 0x1020)
	follow(t, &s, []state{in(pendSV, bxLR, msp-0x20, 0xfffffffd), at(0x1020, second+0x20, 0)}, read)
	check("the second thread runs")

	follow(t, &s, []state{
		at(0x1020, second+0x20, 0), in(pendSV, 0x1040, msp-0x20, 0xfffffffd), write(pendSV, msp-0x20, first), in(pendSV, bxLR, msp-0x20, 0xfffffffd),
	}, read)
	check("back to the first", 0x1034, 0x1010)
	follow(t, &s, []state{in(pendSV, bxLR, msp-0x20, 0xfffffffd), call}, read)
	check("it goes on", 0x1034)
}
