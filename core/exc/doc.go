// Package exc knows the exception model of M-profile cores: EXC_RETURN, stacked frames, fault registers.
package exc
