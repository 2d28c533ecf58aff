package thumb

import (
	"slices"
	"strings"
)

// difference is one class of texts that differ from objdump 2.40's for a
// reason. Classes that start with "text: " are still compared in control flow
// and written registers, the others are not.
type difference struct {
	class string
	why   string // which side is right and why
	match func(raw uint32, got, want string) bool
}

// allowed returns the class of a difference, "" when there is none.
func allowed(raw uint32, got, want string) string {
	if got == want {
		return ""
	}
	for _, d := range differences {
		if d.match(raw, got, want) {
			return d.class
		}
	}
	return ""
}

// conditionClass is for the instructions whose text has the condition of an
// IT block on one side only: BXNS, BLXNS and TT may be in a block and HVC may
// not, objdump has it the other way around.
const conditionClass = "condition of BXNS, BLXNS, TT, HVC"

func conditionDiffers(text string) bool {
	return slices.Contains([]string{"bxns", "blxns", "tt", "ttt", "tta", "ttat", "hvc"}, parseAsm(text).name)
}

// reason returns why a class of differences is allowed, for the report.
func reason(class string) string {
	for _, d := range differences {
		if d.class == class {
			return ": " + d.why
		}
	}
	return ""
}

var differences = []difference{
	{"text: MVE mnemonic", "texts of MVE instructions are the bare mnemonic",
		func(_ uint32, got, want string) bool {
			name := parseAsm(want).name
			return vectorMnemonic(got) && (name == got || name == got+"t" || name == got+"e" || got == "vpt" && strings.HasPrefix(name, got) || got == "vpst" && strings.HasPrefix(name, got))
		}},
	{"MVE objdump lists and UNDEFINED", "objdump prints MVE forms with registers above q7 or sizes that do not exist",
		func(_ uint32, got, want string) bool {
			return strings.Contains(want, "<illegal reg") || strings.Contains(want, "undefined instruction")
		}},
	{"not named", "Advanced SIMD, to which objdump is not set, and unallocated memory hints",
		func(_ uint32, got, _ string) bool { return strings.HasPrefix(got, ".inst.w") }},
	{"coprocessor not printed", "binutils 2.40 prints no CDP, LDC, STC, MCR, MRC in Thumb state; TestLLVM covers them",
		func(_ uint32, got, want string) bool { return want == "" && coprocessorName(got, "") }},
	{"coprocessor of 1990", "binutils prints coprocessors 1, 2 and 4 to 6 as FPA and Maverick, which no T32 core has",
		func(raw uint32, got, _ string) bool {
			return (got == "" || coprocessorName(got, "")) && raw>>28 == 0b1110 && 1<<(raw>>8&15)&0b1110110 != 0
		}},
	{"coprocessors 8 to 11", "reserved for FP and vectors; objdump prints unallocated ones as generic",
		func(raw uint32, got, want string) bool {
			return got == "" && raw>>10&3 == 2 && coprocessorName(want, "2")
		}},
	{"text: width of BFC, BFI", "msb below lsb is UNPREDICTABLE; objdump prints the negative width unsigned",
		func(_ uint32, got, want string) bool {
			return strings.HasPrefix(got, "bf") && strings.Contains(want, "#42949672")
		}},
	{"text: SMC should-be-zero", "the immediate of SMC has 4 bits; objdump adds the should-be-zero ones",
		func(raw uint32, got, want string) bool {
			return strings.HasPrefix(got, "smc") && raw&0xfff != 0 && strings.HasPrefix(want, "smc")
		}},
	{"index by zero", "objdump drops some offsets of 0 and -0, and with them the writeback",
		func(_ uint32, got, want string) bool {
			return got != want && strings.Contains(got, "0") && withoutZero(got) == withoutZero(want)
		}},
	{"EA5x registers", "SP and PC are UNPREDICTABLE in the conditional selects and long shifts; objdump prints nothing for them, or ORRS when it is not set to MVE",
		func(raw uint32, got, want string) bool {
			return raw>>20 == 0xea5 && len(want) < len(got) || raw>>20 == 0xea5 && (raw&0xf == 13 || strings.HasPrefix(want, "orrs"))
		}},
	{"load and store single", "objdump prints UNDEFINED addressing modes and stores to [pc]",
		func(raw uint32, got, want string) bool {
			store := raw>>20&1 == 0
			if raw&0x800 == 0 && raw&0x7c0 != 0 { // register offset needs bits 11:6 clear
				return got == "" && raw>>25 == 0b1111100
			}
			return got == "" && raw>>25 == 0b1111100 &&
				(strings.Contains(want, "<undefined>") || strings.Contains(want, "??") || store && strings.Contains(want, "[pc"))
		}},
	{"special register", "objdump mixes the M-profile numbers with the A-profile bank, misses the PAC keys, and calls APSR CPSR",
		func(raw uint32, got, want string) bool {
			g, w := parseAsm(got).name, parseAsm(want).name
			return w == "mrs" && (g == w || g == "") && foreignRegister(want) || w == "msr" && (g == w || g == "") && foreignRegister(want) ||
				(raw>>20&1 != 0 || got == "") && (w == "msr" || w == "mrs") ||
				g == w && strings.HasPrefix(parseAsm(got).op(0), parseAsm(want).op(0)+"_")
		}},
	{"text: register list", "no or more than 16 registers, or lists past the last one, are UNPREDICTABLE; objdump prints an overflow",
		func(raw uint32, got, want string) bool {
			return parseAsm(got).name == parseAsm(want).name && strings.HasSuffix(got, "}") && raw>>9&7 == 5 &&
				(raw&0xff > 32 || raw&0xff < 2 || strings.Contains(want, "overflow reg"))
		}},
	{"CRC32 destination", "objdump prints the wrong Rd",
		func(_ uint32, got, want string) bool {
			return strings.HasPrefix(got, "crc32") && parseAsm(got).name == parseAsm(want).name
		}},
	{"MRC2 to flags", "Rt 15 is APSR_nzcv as in MRC; objdump prints pc",
		func(_ uint32, got, want string) bool {
			return strings.Contains(got, "APSR_nzcv") && strings.Replace(got, "APSR_nzcv", "pc", 1) == want
		}},
	{"coprocessor without index", "P, U, W and D all 0 is UNDEFINED; objdump prints an option",
		func(raw uint32, got, want string) bool {
			return got == "" && raw>>21&0b1111111 == 0b1100000 && coprocessorName(want, "2")
		}},
	{"coprocessors 14 and 15", "MVE owns them on Armv8.1-M; other profiles have the generic forms",
		func(raw uint32, got, want string) bool {
			return want == "" && raw>>8&15 >= 14 && coprocessorName(got, "2")
		}},
	{"branch future", "objdump prints none of BFX and BFLX with an odd offset, and all others with the reserved offset 0",
		func(raw uint32, got, want string) bool {
			return strings.HasPrefix(got, "bf") && want == "" || raw>>23&15 == 0 && strings.HasPrefix(want, "bf")
		}},
	{"VJCVT", "of the A profile; objdump is set to the M profile",
		func(_ uint32, got, want string) bool { return want == "" && strings.HasPrefix(got, "vjcvt") }},
	{"SIMD in coprocessor space", "dot products and FP16 multiplies of the A profile",
		func(_ uint32, _, want string) bool {
			for _, p := range []string{"vsdot", "vudot", "vusdot", "vsudot", "vfmal", "vfmsl"} {
				if strings.HasPrefix(want, p) {
					return true
				}
			}
			return false
		}},
	{"VLSTM and VLLDM T2", "of Armv8.1-M; binutils 2.40 knows T1 only",
		func(raw uint32, got, want string) bool {
			return want == "" && raw&0x80 != 0 && (strings.HasPrefix(got, "vlstm") || strings.HasPrefix(got, "vlldm"))
		}},
	{"text: FP immediate", "written as the number it is; objdump writes the encoded byte",
		func(_ uint32, got, want string) bool {
			g, w := parseAsm(got), parseAsm(want)
			return g.name == w.name && strings.HasPrefix(g.name, "vmov") && strings.HasPrefix(g.op(1), "#") && g.op(0) == w.op(0)
		}},
	{"text: FP system register", "reserved numbers of VMRS and VMSR",
		func(_ uint32, _, want string) bool { return strings.Contains(want, "<impl def") }},
	{"system register of VLDR", "reserved numbers; the encoding is LDC and STC of coprocessor 15 before MVE",
		func(_ uint32, got, want string) bool {
			return strings.Contains(want, "<invalid reg") && coprocessorName(got, "")
		}},
	{"MVE reserved", "sizes and conditions that are UNDEFINED for a vector instruction; TestLLVM agrees that they are none",
		func(raw uint32, got, want string) bool {
			return raw>>8&15 >= 14 && strings.HasPrefix(want, "v") &&
				(coprocessorName(got, "") || coprocessorName(got, "2") || got == "")
		}},
	{"text: VPT suffix", "objdump carries predicates over NOPs",
		func(_ uint32, got, want string) bool {
			g, w := parseAsm(got), parseAsm(want)
			return slices.Equal(g.ops, w.ops) && (g.name+"t" == w.name || g.name+"e" == w.name)
		}},
	{"RdaHi is SP", "UNPREDICTABLE; objdump prints no instruction",
		func(raw uint32, got, want string) bool {
			return want == "" && vectorMnemonic(got) && raw>>20&7 == 6
		}},
	{"VCVT half and 16-bit fixed", "binutils 2.40 lacks them",
		func(_ uint32, got, want string) bool {
			return want == "" && strings.HasPrefix(got, "vcvt") && strings.Contains(got, "f16") && strings.Contains(got, "16 s")
		}},
	{"loop of PC", "Rn 15 is not WLS, DLS or their kin; objdump prints pc",
		func(raw uint32, got, want string) bool {
			return raw>>16&0xff8f == 0xf00f && strings.Contains(want, "pc") && got == ""
		}},
	{"text: negative literals", "objdump takes some for the unprivileged form, LDRT",
		func(_ uint32, got, want string) bool {
			g, w := parseAsm(got), parseAsm(want)
			return g.name+"t" == w.name && strings.HasPrefix(g.op(1), "[pc, #-") && g.op(1) == w.op(1)
		}},
	{"lane that does not exist", "opcodes of VMOV between a lane and a core register that are reserved; objdump prints them",
		func(_ uint32, got, want string) bool { return got == "" && strings.HasPrefix(want, "vmov.") }},
	{"VRINT reserved", "opcodes that are no rounding mode; objdump prints a question mark",
		func(_ uint32, got, want string) bool { return got == "" && strings.HasPrefix(want, "vrint?") }},
	{"MVE compare with SP", "UNPREDICTABLE; objdump prints no instruction",
		func(raw uint32, got, want string) bool {
			return want == "" && raw&15 == 13 && (got == "vcmp" || got == "vpt")
		}},
	{"text: VORR alias", "VORR of two equal registers is VMOV",
		func(_ uint32, got, want string) bool { return got == "vorr" && strings.HasPrefix(want, "vmov") }},
	{"fraction bits", "VCVT with more fraction bits than the number has is UNPREDICTABLE; objdump prints no instruction",
		func(_ uint32, got, want string) bool {
			return want == "" && strings.HasPrefix(got, "vcvt") && strings.Contains(got, "#-")
		}},
	{"MVE in archives", "objdump takes the vectors of libraries for coprocessor 14 and 15, as it does not know their architecture",
		func(_ uint32, got, want string) bool {
			return strings.HasPrefix(got, "v") && (coprocessorName(want, "") || coprocessorName(want, "2"))
		}},
	{"mov r8, r8", "objdump calls the NOP of ARMv4T nop",
		func(raw uint32, _, _ string) bool { return raw == 0x46c0 }},
}

// vectorMnemonic reports a text of the MVE table.
func vectorMnemonic(text string) bool {
	return strings.HasPrefix(text, "v") && !strings.Contains(text, " ")
}

// coprocessorName reports the generic mnemonics with the given suffix.
func coprocessorName(text, suffix string) bool {
	name := parseAsm(text).name
	for _, s := range []string{"cdp", "ldc", "stc", "mcr", "mrc", "mcrr", "mrrc"} {
		if name == s+suffix || name == s+suffix+"l" || name == s {
			return true
		}
	}
	return false
}

// foreignRegister reports the special register names of objdump that are not
// those of the M-profile.
func foreignRegister(text string) bool {
	for _, s := range []string{"CPSR", " PSR", "<unknown>", "UNDEF", "SPSR", "_usr", "_fiq", "_irq", "_svc", "_abt", "_und", "_mon", "_hyp"} {
		if strings.Contains(text, s) {
			return true
		}
	}
	return false
}

func withoutZero(text string) string {
	return strings.NewReplacer(", #0", "", ", #-0", "", "!", "").Replace(text)
}
