package exc

import "testing"

// TestControl: the interrupted code used the stack, and had the FP context, that
// EXC_RETURN says; what it was allowed to do has not changed.
func TestControl(t *testing.T) {
	t.Parallel()
	const npriv, spsel, fpca = 1, 2, 4
	for _, test := range []struct {
		ret           Return
		handler, want uint32
	}{
		{0xfffffff1, 0, 0},                        // handler
		{0xfffffff9, 0, 0},                        // thread, MSP
		{0xfffffffd, npriv, npriv | spsel},        // thread, PSP
		{0xffffffe9, 0, fpca},                     // thread, MSP, FP frame
		{0xffffffed, npriv, npriv | spsel | fpca}, // thread, PSP, FP frame
		{0xfffffff9, npriv | fpca, npriv},         // the handler uses the FPU
		{0xffffffbc, 0, spsel},                    // Armv8-M, non-secure thread, PSP
		{0xfffffff5, 0, 0},                        // Armv8-M: SPSEL does not matter over a handler
	} {
		if got := test.ret.Control(test.handler); got != test.want {
			t.Errorf("%v: CONTROL %#x of the handler is %#x before it, want %#x", test.ret, test.handler, got, test.want)
		}
	}
}
