package unwind

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestUnruly calls a subroutine of the function that writes r4, S16 and S17 as
// it likes: the caller's are where the function saved them, and what it did not
// save is lost.
func TestUnruly(t *testing.T) {
	t.Parallel()
	const listing = `b510       push {r4, lr}                    | CFA=sp+0 ra=lr
ed2d 8a01  vpush {s16}                      | CFA=sp+8 ra=lr
f000 f803  bl 0x1010                        | CFA=sp+12 ra=lr s16=[CFA-12]
ecbd 8a01  vpop {s16}                       | CFA=sp+12 ra=[CFA-4] r4=[CFA-8] s16=[CFA-12] s17=lost
bd10       pop {r4, pc}                     | CFA=sp+8 ra=[CFA-4] r4=[CFA-8] s17=lost
2401       movs r4, #1                      | -
eeb7 8a00  vmov.f32 s16, #1.0               | -
eef7 8a00  vmov.f32 s17, #1.0               | -
4770       bx lr                            | -
`
	if d := cmp.Diff(listing, annotate(t, listing)); d != "" {
		t.Errorf("rows differ (-want +got):\n%s", d)
	}
}
