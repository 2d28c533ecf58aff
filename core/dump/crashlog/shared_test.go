package crashlog

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pushmask/core"
	"pushmask/core/coretest"
	"pushmask/core/dump/logtext"
)

// sharedCases are public logs with what the notes beside them, or the log
// itself, say is right: registers of the crashed thread, words of memory.
var sharedCases = []struct {
	path string
	want []string // one a report
}{
	{"nuttx-text/docs_hardfault_lpc43_2014_style/crash.txt", []string{"NuttX crash log faulted pc=1b02d596 lr=1b02b20b sp=10005e50 stack=10004f3c-10005ed8 64 words"}},
	{"nuttx-text/issue12013_stm32h7_2024/crash.txt", []string{"NuttX crash log faulted pc=08009b66 lr=08008485 sp=380039e0 stack=38003330-38003af8 31 words"}},
	{"nuttx-text/issue9316_armv8m_irq_stack/crash.txt", []string{"NuttX crash log faulted pc=900018b8 lr=9000165f sp=20001954 40 words"}},
	{"nuttx-text/micro_ros_issue17_armv7m/crash.txt", []string{"NuttX crash log faulted pc=0801fb0a lr=0801faf3 sp=38002800 stack=38001450-38002ba8 62 words"}},
	{"px4-hardfault/issue18675_nuttx_part/crash.txt", []string{"NuttX crash log faulted pc=0811214a lr=08112125 sp=20068090 40 words"}},
	{"px4-hardfault/pr20845_v5x_named_regs/crash.txt", []string{"NuttX crash log faulted pc=0812904e lr=080196d3 sp=20062308 24 words"}},
	{"px4-hardfault/issue22610_pixhawk6x_rt/crash.txt", []string{"PX4 fault log faulted pc=39090004 lr=0000474d sp=2026d840 stack=2026cf98-2026d8d8 9 words"}},
	{"px4-hardfault/issue8973_fmuv3_2018/crash.txt", []string{"PX4 fault log faulted pc=000bdace lr=0800b98f sp=20014f98 stack=200146fc-20015210 10 words"}},
	{"zephyr-text/asset_tracker_template_stack_overflow_fp/crash.txt", []string{"Zephyr fatal error"}},
	{"zephyr-text/issue25701_nrf52840_mpu_fault/crash.txt", []string{"Zephyr fatal error faulted pc=000034a2 lr=0000345b"}},
	{"zephyr-text/issue8293_2018_thread_line/crash.txt", []string{"Zephyr fatal error faulted pc=57a7150c"}},
	{"tfm/asset_tracker_template_secure_fault/crash.txt", []string{"TF-M fatal error faulted pc=0003d7b6 lr=00044181 sp=2002cda8"}},
	{"cmbacktrace/issue27_rtt_prefix_uppercase/crash.txt", []string{"CmBacktrace report faulted pc=000145f2 lr=000135bb sp=20002fd0 20 words"}},
	{"cmbacktrace/stm32f103_div0/crash.txt", []string{"CmBacktrace report faulted pc=08000a60 lr=08000145 sp=20001140 8 words"}},
	{"rt-thread/issue2784_nrf52832_invpc/crash.txt", []string{"RT-Thread hard fault faulted pc=000098c0 lr=00008b95"}},
	{"mbed-os/mesh_minimal_issue282_null_access/crash.txt", []string{"Mbed OS crash report faulted pc=0806d654 lr=0806d759 sp=20011400"}},
	{"mbed-os/pr11332_handler_mode_unaligned/crash.txt", []string{"Mbed OS crash report faulted pc=00001858 lr=00001877 sp=2002ff18"}},
	{"handrolled-printf/nable_arduino_issue63_nrf51/crash.txt", []string{"hand-written crash report faulted pc=00003946 lr=00009111 sp=20001530"}},
	{"recorded/nuttx_mps2_an500_busfault/uart.txt", []string{"NuttX crash log faulted pc=0000c1ae lr=00006f61 sp=60010e58 stack=600100b0-60011080 146 words"}},
	{"chrome-ec/doc_register_block/crash.txt", []string{"Chrome EC panic faulted pc=0800351a lr=0800270d"}},
	{"duet-reprapfirmware/issue528_duet2_assertion/crash.txt", []string{"Duet software reset lr=004065ff 27 words"}},
	{"linux-oops/feh_issue574_rpi_5_4/crash.txt", []string{"Linux kernel oops faulted pc=c01f3218 lr=c01f32a0 sp=cd009d54"}},
	{"marlin-postmortem/pr20492_stm32/crash.txt", []string{"Marlin post-mortem faulted pc=0801b812 lr=0800cb8d sp=2000ff68"}},
	{"playdate-crashlog/amano_2025_revb/crashlog.txt", []string{"Playdate crash log faulted pc=24021456 lr=24021457"}},
	{"riot/pr3700_hardfault/crash.txt", []string{"RIOT crash report faulted pc=00000438 lr=00000d97"}},
	{"rust-text/probe_run_backtrace_no_symbols/crash.txt", []string{"Rust crash report"}},
	{"teensy-crashreport/adc_issue92_null_write/crash.txt", []string{"Teensy crash report faulted pc=00010e7a"}},
	{"tock/issue1835_nucleo429zi/crash.txt", []string{"Tock OS panic faulted pc=f101900a lr=fffffff9 sp=20000a70"}},
}

func TestShared(t *testing.T) {
	t.Parallel()
	for _, c := range sharedCases {
		t.Run(c.path, func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(coretest.Shared(t, "dumps", c.path))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, r := range Find(logtext.Parse(data)) {
				got = append(got, summary(r))
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// summary says the most telling of a report in a line.
func summary(r Report) string {
	var b strings.Builder
	b.WriteString(r.Format)
	if r.Nested {
		b.WriteString(" nested")
	}
	th := r.Crashed()
	if th.Faulted {
		b.WriteString(" faulted")
	}
	for _, reg := range []core.Reg{core.PC, core.LR, core.SP} {
		if v, ok := th.Regs.Get(reg); ok {
			fmt.Fprintf(&b, " %v=%08x", reg, v)
		}
	}
	if s := th.Stack; s.Known() {
		fmt.Fprintf(&b, " stack=%08x-%08x", uint32(s.Low), uint32(s.High))
	}
	n := 0
	for _, p := range r.Memory {
		if p.Addr < 0xe0000000 {
			n += len(p.Data) / 4
		}
	}
	if n > 0 {
		fmt.Fprintf(&b, " %d words", n)
	}
	return b.String()
}
