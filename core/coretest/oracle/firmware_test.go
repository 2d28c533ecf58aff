package oracle_test

import (
	"strings"

	"pushmask/core/coretest/oracle"
)

// Cores, as options that gcc and clang share.
const (
	m0  = "-mcpu=cortex-m0 -mthumb"
	m3  = "-mcpu=cortex-m3 -mthumb"
	m4f = "-mcpu=cortex-m4 -mthumb -mfpu=fpv4-sp-d16 -mfloat-abi=hard"
	m7  = "-mcpu=cortex-m7 -mthumb -mfpu=fpv5-d16 -mfloat-abi=hard"
	m33 = "-mcpu=cortex-m33 -mthumb -mfpu=fpv5-sp-d16 -mfloat-abi=hard"
	m23 = "-mcpu=cortex-m23 -mthumb"
	m55 = "-mcpu=cortex-m55 -mthumb -mfloat-abi=hard"
	// QEMU 7.2 has no Cortex-M85: its hints PAC, AUT and BTI do nothing on the M55.
	m85 = "-mcpu=cortex-m85"
	v4t = "-mcpu=arm7tdmi -mthumb-interwork"
	a7  = "-mcpu=cortex-a7"
)

// outlined has clang 19 outline whatever it can, three times over: prologues,
// epilogues, and parts of what it has outlined before.
const outlined = "-mllvm -enable-machine-outliner=always -mllvm -machine-outliner-reruns=2"

// build is a firmware; quick ones run in every test, all of them in the long
// run.
type build struct {
	oracle.Firmware
	quick bool
}

// thumb1 reports whether gcc makes T16 code, where it branches far by BL; on
// Armv8-M baseline too, which has B.W.
func (b build) thumb1() bool {
	return b.Target == m0 || b.Target == m23 || b.Target == v4t && strings.Contains(b.Options, "-mthumb")
}

// perPC is how many samples of one PC are taken: firmware of threads, of two
// security states and in assembly comes to the same code in many ways.
func (b build) perPC() int {
	switch {
	case b.TrustZone:
		return 4
	case b.Switch != "" || b.Assembly:
		return 3
	}
	return 1
}

// builds are the firmwares. v6-M code runs on the M3 of mps2-an385: QEMU's
// Cortex-M0 board has too little memory.
var builds = []build{
	{oracle.Firmware{Name: "m0-gcc-O0", Machine: "mps2-an385", Script: "mps2.ld", Target: m0, Options: "-O0"}, false},
	{oracle.Firmware{Name: "m0-gcc-O2", Machine: "mps2-an385", Script: "mps2.ld", Target: m0, Options: "-O2"}, false},
	{oracle.Firmware{Name: "m0-gcc-Os", Machine: "mps2-an385", Script: "mps2.ld", Target: m0, Options: "-Os"}, true},
	{oracle.Firmware{Name: "m3-gcc-O1", Machine: "mps2-an385", Script: "mps2.ld", Target: m3, Options: "-O1"}, false},
	{oracle.Firmware{Name: "m3-gcc-O2", Machine: "mps2-an385", Script: "mps2.ld", Target: m3, Options: "-O2"}, true},
	{oracle.Firmware{Name: "m3-gcc-Os", Machine: "mps2-an385", Script: "mps2.ld", Target: m3, Options: "-Os"}, false},
	{oracle.Firmware{Name: "m3-gcc-O2-lto", Machine: "mps2-an385", Script: "mps2.ld", Target: m3, Options: "-O2 -flto"}, false},
	{oracle.Firmware{Name: "m3-gcc-O2-fp", Machine: "mps2-an385", Script: "mps2.ld", Target: m3, Options: "-O2 -fno-omit-frame-pointer"}, false},
	{oracle.Firmware{Name: "m4f-gcc-O2-psp", Machine: "mps2-an386", Script: "mps2.ld", Target: m4f, Options: "-O2 -DPROCESS_STACK"}, true},
	{oracle.Firmware{Name: "m4f-gcc-O3", Machine: "mps2-an386", Script: "mps2.ld", Target: m4f, Options: "-O3", FullLibrary: true}, false},
	{oracle.Firmware{Name: "m7-gcc-O2", Machine: "mps2-an500", Script: "mps2.ld", Target: m7, Options: "-O2"}, false},
	{oracle.Firmware{Name: "m33-gcc-O2", Machine: "mps2-an505", Script: "an505.ld", Target: m33, Options: "-O2"}, false},
	{oracle.Firmware{Name: "m23-gcc-Os", Machine: "mps2-an505", Script: "an505.ld", Target: m23, Options: "-Os"}, false},
	{oracle.Firmware{Name: "m33-tz-gcc-O2", Machine: "mps2-an505", Script: "an505-tz.ld", Target: m33, Options: "-O2", TrustZone: true}, true},
	{oracle.Firmware{Name: "m33-tz-gcc-Os-psp", Machine: "mps2-an505", Script: "an505-tz.ld", Target: m33, Options: "-Os -DPROCESS_STACK -DSECURE_FP", TrustZone: true}, false},
	{oracle.Firmware{Name: "m23-tz-gcc-O1", Machine: "mps2-an505", Script: "an505-tz.ld", Target: m23, Options: "-O1", TrustZone: true}, false},
	{oracle.Firmware{Name: "m55-tz-gcc-O2", Machine: "mps3-an547", Script: "an547-tz.ld", Target: m55, Options: "-O2 -DSECURE_FP", TrustZone: true}, false},
	{oracle.Firmware{Name: "m55-gcc-O3", Machine: "mps3-an547", Script: "an547.ld", Target: m55, Options: "-O3 -ffast-math"}, false},
	{oracle.Firmware{Name: "m55-gcc-Os", Machine: "mps3-an547", Script: "an547.ld", Target: m55, Options: "-Os"}, false},
	{oracle.Firmware{
		Name: "m85-clang-Oz", Machine: "mps3-an547", Script: "an547.ld", Target: m55, Options: "-Oz",
		Compile: m85 + " -mbranch-protection=pac-ret+leaf+bti " + outlined, Clang: oracle.Clang19,
	}, false},
	{oracle.Firmware{
		Name: "m85-clang-O2", Machine: "mps3-an547", Script: "an547.ld", Target: m55, Options: "-O2 -ffast-math",
		Compile: m85 + " -mbranch-protection=standard", Clang: oracle.Clang19,
	}, false},
	{oracle.Firmware{Name: "m0-clang-Oz", Machine: "mps2-an385", Script: "mps2.ld", Target: m0, Options: "-Oz", Clang: oracle.Clang16}, false},
	{oracle.Firmware{Name: "m3-clang-Oz", Machine: "mps2-an385", Script: "mps2.ld", Target: m3, Options: "-Oz", Clang: oracle.Clang16}, false},
	{oracle.Firmware{Name: "m4f-clang-O2", Machine: "mps2-an386", Script: "mps2.ld", Target: m4f, Options: "-O2", Clang: oracle.Clang16}, false},
	{oracle.Firmware{Name: "m0-clang-Oz-outlined", Machine: "mps2-an385", Script: "mps2.ld", Target: m0, Options: "-Oz", Compile: outlined, Clang: oracle.Clang19}, false},
	{oracle.Firmware{Name: "m3-clang-Oz-outlined", Machine: "mps2-an385", Script: "mps2.ld", Target: m3, Options: "-Oz", Compile: outlined, Clang: oracle.Clang19}, false},
	{oracle.Firmware{Name: "m4f-clang-Oz-outlined-fp", Machine: "mps2-an386", Script: "mps2.ld", Target: m4f, Options: "-Oz -fno-omit-frame-pointer", Compile: outlined, Clang: oracle.Clang19}, false},
	{oracle.Firmware{Name: "a32-clang-Oz-outlined", Machine: "virt", CPU: "cortex-a15", Script: "virt.ld", Target: a7, Options: "-marm -Oz", Compile: outlined, Clang: oracle.Clang19}, false},
	{oracle.Firmware{Name: "t32-clang-Oz-outlined", Machine: "virt", CPU: "cortex-a15", Script: "virt.ld", Target: a7, Options: "-mthumb -Oz", Compile: outlined, Clang: oracle.Clang19}, false},
	{oracle.Firmware{Name: "m3-gcc-Os-long", Machine: "mps2-an385", Script: "mps2.ld", Target: m3, Options: "-Os -fipa-icf -mlong-calls -fno-plt"}, false},
	{oracle.Firmware{Name: "m0-gcc-Os-long", Machine: "mps2-an385", Script: "mps2.ld", Target: m0, Options: "-Os -fipa-icf -mlong-calls -fno-plt"}, false},
	{oracle.Firmware{Name: "t32-gcc-O2-a7", Machine: "virt", CPU: "cortex-a7", Script: "virt.ld", Target: a7, Options: "-mthumb -O2"}, false},
	{oracle.Firmware{Name: "a32-gcc-Os-a9", Machine: "virt", CPU: "cortex-a7", Script: "virt.ld", Target: "-mcpu=cortex-a9", Options: "-marm -Os"}, false},
	{oracle.Firmware{
		Name: "t32-v4t-gcc-Os", Machine: "virt", CPU: "cortex-a15", Script: "virt.ld", Target: v4t, Options: "-mthumb -Os -mlong-calls",
		ARM: []string{"calls.c"},
	}, false},
	{oracle.Firmware{Name: "a32-gcc-O2", Machine: "virt", CPU: "cortex-a15", Script: "virt.ld", Target: v4t, Options: "-marm -O2"}, true},
	{oracle.Firmware{
		Name: "t32-a32-gcc-O2", Machine: "virt", CPU: "cortex-a15", Script: "virt.ld", Target: v4t, Options: "-mthumb -O2",
		ARM: []string{"calls.c"},
	}, false},
	{oracle.Firmware{Name: "a32-gcc-O2-modes", Machine: "virt", CPU: "cortex-a15", Script: "virt.ld", Target: a7, Options: "-marm -O2", Modes: true}, true},
	{oracle.Firmware{Name: "v4t-gcc-Os-modes", Machine: "virt", CPU: "cortex-a15", Script: "virt.ld", Target: v4t, Options: "-marm -Os", Modes: true}, false},
	{oracle.Firmware{Name: "t32-gcc-O2-modes", Machine: "virt", CPU: "cortex-a15", Script: "virt.ld", Target: a7, Options: "-mthumb -O2", Modes: true}, false},
	{oracle.Firmware{Name: "m0-g++-Os", Machine: "mps2-an385", Script: "mps2.ld", Target: m0, Options: "-Os", CPlusPlus: true, FullLibrary: true}, false},
	{oracle.Firmware{Name: "m0-kernel", Machine: "mps2-an385", Script: "mps2.ld", Target: m0, Options: "-Os", Switch: "on_stack.S"}, true},
	{oracle.Firmware{Name: "m0-kernel-block", Machine: "mps2-an385", Script: "mps2.ld", Target: m0, Options: "-O2", Switch: "in_block.S"}, false},
	{oracle.Firmware{Name: "m0-kernel-sp", Machine: "mps2-an385", Script: "mps2.ld", Target: m0, Options: "-O1", Switch: "borrowed_sp.S"}, false},
	{oracle.Firmware{Name: "m3-kernel", Machine: "mps2-an385", Script: "mps2.ld", Target: m3, Options: "-O2", Switch: "on_stack.S"}, false},
	{oracle.Firmware{Name: "m3-kernel-block", Machine: "mps2-an385", Script: "mps2.ld", Target: m3, Options: "-Os -fno-omit-frame-pointer", Switch: "in_block.S"}, false},
	{oracle.Firmware{Name: "m4f-kernel", Machine: "mps2-an386", Script: "mps2.ld", Target: m4f, Options: "-O2", Switch: "on_stack.S"}, true},
	{oracle.Firmware{Name: "m4f-kernel-return", Machine: "mps2-an386", Script: "mps2.ld", Target: m4f, Options: "-O2 -DFIRST_BY_PENDSV", Switch: "return_first.S"}, false},
	{oracle.Firmware{Name: "m33-kernel", Machine: "mps2-an505", Script: "an505.ld", Target: m33, Options: "-O2", Switch: "on_stack.S"}, false},
	{oracle.Firmware{Name: "m33-kernel-return", Machine: "mps2-an505", Script: "an505.ld", Target: m33, Options: "-Os -DFIRST_BY_PENDSV", Switch: "return_first.S"}, false},
	{oracle.Firmware{Name: "m3-g++-O2", Machine: "mps2-an385", Script: "mps2.ld", Target: m3, Options: "-O2", CPlusPlus: true, FullLibrary: true}, false},
	{oracle.Firmware{Name: "m0-assembly", Machine: "mps2-an385", Script: "mps2.ld", Target: m0, Options: "-O2", Assembly: true}, false},
	{oracle.Firmware{Name: "m3-assembly", Machine: "mps2-an385", Script: "mps2.ld", Target: m3, Options: "-O2", Assembly: true}, true},
	{oracle.Firmware{Name: "t32-v4t-assembly", Machine: "virt", CPU: "cortex-a15", Script: "virt.ld", Target: v4t, Options: "-mthumb -Os", Assembly: true}, false},
	{oracle.Firmware{Name: "a32-v4t-assembly", Machine: "virt", CPU: "cortex-a15", Script: "virt.ld", Target: v4t, Options: "-marm -O2", Assembly: true}, true},
	{oracle.Firmware{Name: "t32-a7-assembly", Machine: "virt", CPU: "cortex-a7", Script: "virt.ld", Target: a7, Options: "-mthumb -O2", Assembly: true}, false},
	{oracle.Firmware{Name: "a32-a7-assembly", Machine: "virt", CPU: "cortex-a7", Script: "virt.ld", Target: a7, Options: "-marm -O2", Assembly: true}, false},
}
