// Package exc knows the exception model of M-profile cores: EXC_RETURN
// values, the frames that hardware stacks on exception entry, exception
// numbers and fault registers. It reads target memory through core.Memory and
// follows no code.
package exc
