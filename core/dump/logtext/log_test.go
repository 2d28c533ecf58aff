package logtext

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// texts returns the lines of a log as "number|prefix|text".
func texts(l *Log) []string {
	var out []string
	for _, line := range l.Lines {
		out = append(out, fmt.Sprintf("%d|%s|%s", line.Number, line.Prefix, line.Text))
	}
	return out
}

func TestParse(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, log string
		want      []string
	}{
		{"endings", "a\nb\r\nc\rd\n\ne", []string{"1||a", "2||b", "3||c", "4||d", "6||e"}},
		{"trailing blanks", "  a \t \n", []string{"1||  a"}},
		{"colours", "\x1b[1;31mR0: 1\x1b[0m\x1b[K", []string{"1||R0: 1"}},
		{"lost escapes", "[0;31mR0: 1^[[0m[m", []string{"1||R0: 1"}},
		{"window title", "\x1b]0;minicom\aR0: 1\x1b]2;x\x1b\\ R1: 2", []string{"1||R0: 1 R1: 2"}},
		{"cursor", "R0: 1\x1b[3CR1: 2", []string{"1||R0: 1 R1: 2"}},
		{"brackets are kept", "R[12] [x] [12] r[0]", []string{"1||R[12] [x] [12] r[0]"}},
		{"controls", "\x00R\x000:\a 1\x7f", []string{"1||R0: 1"}},
		{"Latin-1", "42.5 \xb0C na\xefve", []string{"1||42.5 °C naïve"}},
		{"GB 2312", "\xd6\xf7\xb6\xd1\xd5\xbb\xd0\xc5\xcf\xa2 R0: 1", []string{"1||主堆栈信息 R0: 1"}},
		{"UTF-8", "主堆栈信息 \xf0\x9d\x90\x80", []string{"1||主堆栈信息 \U0001d400"}},
		{"rubbish", "\xfe\xff\xfdR0: 1\xff", []string{"1||þÿýR0: 1ÿ"}},
		{"UTF-8 with mark", "\xef\xbb\xbfa", []string{"1||a"}},
		{"UTF-16", "\xff\xfea\x00\r\x00\n\x00\x3d\xd8\x00\xde", []string{"1||a", "2||\U0001f600"}},
		{"UTF-16, big-endian", "\xfe\xff\x00a\x00\n\x4e\x3b", []string{"1||a", "2||主"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, texts(Parse([]byte(c.log)))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestPrefix(t *testing.T) {
	t.Parallel()
	for _, c := range []string{
		"[    7.809974] [ 3] [ EMERG] |up_dump_register: R0: 1",
		"[CPU0] [ 6] |R0: 1",
		"[00:00:00.771,952] <err> os: |***** HARD FAULT *****",
		"[00:00:00.771,952] <err> os: |  Data Access Violation",
		"<inf> app.sub: |x",
		"E: |***** MPU FAULT *****",
		"E: |  Data Access Violation",
		"[2019-09-03 16:43:55.102] |R0   : 1",
		"2015-08-24 10:34:51,246 - INFO # |   r0: 0x1",
		"2024-01-06T12:29:45.123Z |x",
		"1276.705430:   <1> (01-28 07:22:33.304698634) |Unable",
		"2024-02-11 08:10:33.120 6021-6021/? A/DEBUG: |signal 11",
		"02-11 08:12:40.007 7133-7140/org.example.demo I/kmsg: |x",
		"@bench/k64-3 console output: |  Instruction bus error",
		"`|x",
		"2024-01-06T12:29:45+01:00 |x",
		"16:43:55.102 -> |R0: 1",
		"16:43:55:102 |R0: 1",
		"Nov 30 12:01:02 host kernel: [   12.345678] |Unable",
		"May  6 12:01:02 |x",
		"12:01:02 [INFO] |x",
		"12:01:02 INFO : |x",
		"12:01:02 |Error: Thread stack",
		"2015-08-24 10:34:51,246 - INFO # |FATAL ERROR: BusFault",
		"06-01 12:34:56.789  1234  1235 F DEBUG   : |pid: 1",
		"F/DEBUG   ( 1234): |pid: 1",
		"E/cmb: |R0: 1",
		"[E/HARDFAULT] |psr: 0x1",
		" 0> |  R0 : 1",
		"00> |x",
		"uart:~$ |FATAL ERROR: SecureFault",
		"> |R0: 1",
		"[10:11:12.345]收←◆|R0: 1",
		"[ERROR] |R0: 1",
		"|R0: 1",
		"|[20001000] 11111111 22222222",
		"|[hardfault_log] -- 2024-01-06-12:29:45 Begin Fault Log --",
		"|[<c0012345>] (f) from [<c0012346>]",
		"|[CRASH][CliSrv] furi_check failed",
		"|20001234: 11111111",
		"|12: 34",
		"|sp: 20001234",
		"|may be",
	} {
		t.Run(c, func(t *testing.T) {
			t.Parallel()
			prefix, text, _ := strings.Cut(c, "|")
			got := Parse([]byte(prefix + text)).Lines[0]
			if got.Prefix != prefix || got.Text != text {
				t.Errorf("got %q and %q", got.Prefix, got.Text)
			}
		})
	}
}

func TestTime(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"[    7.809974] [ 3] [ EMERG] x":                "7.809974",
		"[00:00:00.771,952] <err> os: x":                "00:00:00.771,952",
		"[2019-09-03 16:43:55.102] x":                   "2019-09-03 16:43:55.102",
		"2015-08-24 10:34:51,246 - INFO # x":            "2015-08-24 10:34:51,246",
		"2024-01-06T12:29:45.123Z x":                    "2024-01-06T12:29:45.123Z",
		"Nov 30 12:01:02 host kernel: [   12.345678] x": "Nov 30 12:01:02",
		"06-01 12:34:56.789  1234  1235 F DEBUG   : x":  "06-01 12:34:56.789",
		"[CPU0] [ 6] x":                                 "",
		"E: x":                                          "",
	} {
		if got := Parse([]byte(line)).Lines[0].Time; got != want {
			t.Errorf("%q: %q", line, got)
		}
	}
}

func TestOffset(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, log string }{
		{"UTF-8", "ab\r\n\ncd\ne主f\ng"},
		{"UTF-16", "\xff\xfea\x00\n\x00\x3d\xd8\x00\xde\n\x00b\x00"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for _, l := range Parse([]byte(c.log)).Lines[1:] {
				if first, _ := utf8.DecodeRuneInString(l.Text); first < 0x80 && c.log[l.Offset] != byte(first) {
					t.Errorf("line %q at offset %d, where there is %q", l.Text, l.Offset, c.log[l.Offset])
				}
			}
		})
	}
}

func TestUnwrap(t *testing.T) {
	t.Parallel()
	row := "stack_dump: 0x380039e0: 38003334 38002f18 24001198 01000000 00640000 0000"
	for _, c := range []struct {
		name, log string
		want      []string
	}{
		{"inside a word", row + "\n1234 55555555\nshort", []string{"1||" + row + "1234 55555555", "3||short"}},
		{"twice", row + "\n1234" + strings.Repeat(" 11111111", 7) + " 2222\n3333", []string{"1||" + row + "1234" + strings.Repeat(" 11111111", 7) + " 2222", "3||3333"}},
		{"inside 0x", row[:len(row)-4] + "0\nx12345678", []string{"1||" + row[:len(row)-4] + "0x12345678"}},
		{"behind 0x", row[:len(row)-4] + "0x\n12345678", []string{"1||" + row[:len(row)-4] + "0x12345678"}},
		{"between words", row[:len(row)-5] + "\n11111111 22222222\nR0: 1", []string{"1||" + row[:len(row)-5] + " 11111111 22222222", "3||R0: 1"}},
		{"rows of their own", row[:len(row)-5] + "\n" + row[:len(row)-5], []string{"1||" + row[:len(row)-5], "2||" + row[:len(row)-5]}},
		{"not the widest", row + "\n1234 5\n" + row + " 12", []string{"1||" + row, "2||1234 5", "3||" + row + " 12"}},
		{"a word and another", row[:len(row)-5] + "\n00001234 and more", []string{"1||" + row[:len(row)-5], "2||00001234 and more"}},
		{"a year", row + "\n2024-05-06 07:08:09,001 - INFO # x", []string{"1||" + row, "2|2024-05-06 07:08:09,001 - INFO # |x"}},
		{"too many digits", row + "\n12345", []string{"1||" + row, "2||12345"}},
		{"narrow", "R0: 0000\n1234", []string{"1||R0: 0000", "2||1234"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, texts(Parse([]byte(c.log)))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestBounds(t *testing.T) {
	t.Parallel()
	l := Parse([]byte(strings.Repeat("x\n", MaxLines+2) + "end"))
	if len(l.Lines) != MaxLines || l.Skipped != 3 || l.Lines[MaxLines-1].Text != "end" || l.Lines[0].Number != 4 {
		t.Errorf("%d lines, %d skipped, the last is %+v", len(l.Lines), l.Skipped, l.Lines[len(l.Lines)-1])
	}
	l = Parse([]byte(strings.Repeat("x", MaxLine+1)))
	if len(l.Lines) != 2 || l.Lines[1].Number != 1 || l.Lines[1].Offset != MaxLine {
		t.Errorf("%d lines", len(l.Lines))
	}
}
