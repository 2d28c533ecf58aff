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
	{"nuttx-text/docs_hardfault_lpc43_2014_style/crash.txt", []string{"NuttX crash log faulted pc=1b02d596 lr=1b02b20b sp=10005e50 64 words"}},
	{"nuttx-text/issue12013_stm32h7_2024/crash.txt", []string{"NuttX crash log faulted pc=08009b66 lr=08008485 sp=380039e0 31 words"}},
	{"nuttx-text/issue9316_armv8m_irq_stack/crash.txt", []string{"NuttX crash log faulted pc=900018b8 lr=9000165f sp=20001954 40 words"}},
	{"nuttx-text/micro_ros_issue17_armv7m/crash.txt", []string{"NuttX crash log faulted pc=0801fb0a lr=0801faf3 sp=38002800 62 words"}},
	{"px4-hardfault/issue18675_nuttx_part/crash.txt", []string{"NuttX crash log faulted pc=0811214a lr=08112125 sp=20068090 40 words"}},
	{"px4-hardfault/pr20845_v5x_named_regs/crash.txt", []string{"NuttX crash log faulted pc=0812904e lr=080196d3 sp=20062308 24 words"}},
	{"recorded/nuttx_mps2_an500_busfault/uart.txt", []string{"NuttX crash log faulted pc=0000c1ae lr=00006f61 sp=60010e58 146 words"}},
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
