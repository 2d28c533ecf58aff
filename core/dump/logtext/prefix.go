package logtext

import "strings"

// splitPrefix moves what loggers and terminals put before the text from Text
// to Prefix.
func (l *Line) splitPrefix() {
	rest := l.Text
	for {
		trimmed := strings.TrimLeft(rest, " \t")
		n := prefix(trimmed)
		if n == 0 {
			break
		}
		if l.Time == "" {
			l.Time = timeOf(trimmed[:n])
		}
		rest = trimmed[n:]
	}
	// One blank belongs to the prefix; more is indentation.
	if n := len(l.Text) - len(rest); n > 0 {
		rest = strings.TrimPrefix(rest, " ")
		l.Prefix, l.Text = l.Text[:len(l.Text)-len(rest)], rest
	}
}

// timeOf returns the time that a prefix holds: that in brackets, a date with a
// time of day, or the beginning of a line of syslog.
func timeOf(prefix string) string {
	if in, ok := strings.CutPrefix(prefix, "("); ok {
		return strings.TrimSuffix(in, ")")
	}
	if in, ok := strings.CutPrefix(prefix, "["); ok {
		in, _, _ = strings.Cut(in, "]")
		if in = strings.TrimSpace(in); isClock(in) && strings.ContainsAny(in, ".:") {
			return in
		}
		return ""
	}
	if n := stampLen(prefix); n > 0 {
		return prefix[:n]
	}
	if syslogPrefix(prefix) > 0 {
		return prefix[:15]
	}
	return ""
}

// prefixes are the kinds of prefix; each returns the length of one at the
// start of a text that does not begin with a blank, or 0. Several can follow
// one another.
var prefixes = []func(string) int{
	bracketPrefix, // [    7.809974] [ 3] [ EMERG] [2019-09-03 16:43:55.102] [CPU0]
	timePrefix,    // 2015-08-24 10:34:51,246 - INFO # 16:43:55.102 ->
	syslogPrefix,  // Nov 30 12:01:02 host kernel:
	zephyrPrefix,  // <err> os: <6>
	levelPrefix,   // E:
	androidPrefix, // F/DEBUG ( 1234):
	rttPrefix,     // 0> 00>
	promptPrefix,  // uart:~$ nsh>
	quotePrefix,   // > |
	kernelPrefix,  // 1276.705430:
	harnessPrefix, // target console output:
}

func prefix(s string) int {
	if s == "" {
		return 0
	}
	for _, f := range prefixes {
		if n := f(s); n > 0 {
			return n
		}
	}
	return 0
}

// levels are the words for how bad a message is, in upper case.
var levels = map[string]bool{
	"EMERG": true, "ALERT": true, "CRIT": true, "CRITICAL": true, "FATAL": true, "PANIC": true,
	"ERROR": true, "ERR": true, "WARN": true, "WARNING": true, "WRN": true, "NOTICE": true,
	"INFO": true, "INF": true, "DEBUG": true, "DBG": true, "TRACE": true, "VERBOSE": true,
	"E": true, "W": true, "I": true, "D": true, "F": true, "V": true,
}

// bracketPrefix matches a time, a number, a level or a CPU in brackets, and a
// time of day in parentheses.
func bracketPrefix(s string) int {
	if s[0] == '(' {
		if n := stampLen(s[1:]); n > 0 && strings.HasPrefix(s[1+n:], ")") {
			return n + 2
		}
		return 0
	}
	if s[0] != '[' {
		return 0
	}
	end := strings.IndexByte(s, ']')
	if end < 0 || end > 40 {
		return 0
	}
	in := strings.ToUpper(strings.TrimSpace(s[1:end]))
	if _, address := Word(in); address || !isClock(in) && !isLevel(in) && !isCPU(in) {
		return 0
	}
	n := end + 1
	// Serial terminals put their own marks behind: [10:11:12.345]收←◆
	n += len(s[n:]) - len(strings.TrimPrefix(s[n:], "收←◆"))
	return n
}

// isLevel reports whether s, in upper case, is a level, alone or before the
// tag of RT-Thread's ulog: E/HARDFAULT.
func isLevel(s string) bool {
	return levels[s] || len(s) > 2 && s[1] == '/' && levels[s[:1]]
}

// isClock reports whether s is made of what times and counters are made of.
func isClock(s string) bool {
	digit := false
	for _, c := range []byte(s) {
		switch {
		case c >= '0' && c <= '9':
			digit = true
		case strings.IndexByte(" .,:/-+TZ", c) < 0:
			return false
		}
	}
	return digit
}

func isCPU(s string) bool {
	n, ok := strings.CutPrefix(s, "CPU")
	_, number := Decimal(n)
	return ok && number
}

// timePrefix matches a date, a time or both, with what loggers put behind.
func timePrefix(s string) int {
	n := stampLen(s)
	if n == 0 {
		return 0
	}
	if n < len(s) && s[n] != ' ' && s[n] != '\t' && s[n] != ',' {
		return 0
	}
	if a := logcatLen(s[n:]); a > 0 {
		return n + a
	}
	return n + marksLen(s[n:])
}

// stampLen returns the length of a time of day with or without a date.
func stampLen(s string) int {
	n := 0
	if d := dateLen(s); d > 0 && d < len(s) && (s[d] == ' ' || s[d] == 'T') {
		n = d + 1
	}
	t := clockLen(s[n:])
	if t == 0 {
		return 0
	}
	return n + t
}

// marksLen returns the length of what loggers put between the time and the
// text: signs, and a level in brackets or before a sign. A level without one
// may be the text's own: "Error: stack overflow".
func marksLen(s string) int {
	n := 0
	for rest := s; ; {
		word, after := nextWord(rest)
		switch level := levels[strings.ToUpper(strings.Trim(word, "[]"))]; {
		case isMark(word):
		case level && word[0] == '[':
		case level:
			if following, _ := nextWord(after); !isMark(following) {
				return n
			}
		default:
			return n
		}
		n, rest = len(s)-len(after), after
	}
}

func isMark(word string) bool {
	switch word {
	case "-", "--", "->", "#", ">", "|", ":":
		return true
	}
	return false
}

// nextWord returns the first word of s and what follows it.
func nextWord(s string) (word, after string) {
	s = strings.TrimLeft(s, " \t,")
	if end := strings.IndexAny(s, " \t"); end >= 0 {
		return s[:end], s[end:]
	}
	return s, ""
}

// dateLen returns the length of a date, 2019-09-03, 2019/09/03 or 09-03.
func dateLen(s string) int {
	n := decimals(s)
	if n != 4 && n != 2 || n == len(s) || s[n] != '-' && s[n] != '/' {
		return 0
	}
	sep := s[n]
	for parts := n / 2; ; parts-- { // a year is followed by two parts, a month by one
		d := decimals(s[n+1:])
		if d != 2 {
			return 0
		}
		n += 1 + d
		if parts == 1 {
			return n
		}
		if n == len(s) || s[n] != sep {
			return 0
		}
	}
}

// clockLen returns the length of a time of day with its fraction and zone:
// 16:43:55, 16:43:55.102, 16:43:55,102, 16:43:55:102, 12:29:45.123Z.
func clockLen(s string) int {
	n := decimals(s)
	if n == 0 || n > 2 {
		return 0
	}
	for range 2 {
		if n+2 >= len(s) || s[n] != ':' || decimals(s[n+1:]) != 2 {
			return 0
		}
		n += 3
	}
	if n < len(s) && strings.IndexByte(".,:", s[n]) >= 0 {
		if d := decimals(s[n+1:]); d > 0 {
			n += 1 + d
		}
	}
	switch {
	case n < len(s) && s[n] == 'Z':
		n++
	case n+6 <= len(s) && (s[n] == '+' || s[n] == '-') && decimals(s[n+1:]) == 2 && s[n+3] == ':' && decimals(s[n+4:]) == 2:
		n += 6
	}
	return n
}

func decimals(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}

// syslogPrefix matches the time, host and tag of RFC 3164, 4.1.
func syslogPrefix(s string) int {
	if len(s) < 16 || strings.Index("JanFebMarAprMayJunJulAugSepOctNovDec", s[:3])%3 != 0 || s[3] != ' ' {
		return 0
	}
	if day := strings.TrimLeft(s[4:6], " "); decimals(day) != len(day) || s[6] != ' ' || clockLen(s[7:]) < 8 {
		return 0
	}
	clock := 7 + clockLen(s[7:])
	host := strings.TrimLeft(s[clock:], " ")
	_, tag, ok := strings.Cut(host, " ")
	end := strings.Index(tag, ": ")
	if !ok || end < 0 || strings.ContainsAny(tag[:end], " \t") {
		return clock
	}
	return len(s) - len(tag) + end + 1
}

// zephyrPrefix matches a level in angle brackets and the module behind it, and
// the level that Linux writes in front of a message.
func zephyrPrefix(s string) int {
	if s[0] != '<' {
		return 0
	}
	end := strings.IndexByte(s, '>')
	if end == 2 && s[1] >= '0' && s[1] <= '7' {
		return end + 1
	}
	if end < 0 || end > 10 || !levels[strings.ToUpper(s[1:end])] {
		return 0
	}
	return end + 1 + moduleLen(s[end+1:])
}

// moduleLen returns the length of a blank, a name and a colon.
func moduleLen(s string) int {
	if s == "" || s[0] != ' ' {
		return 0
	}
	n := 1
	for n < len(s) && (isWord(s[n]) || s[n] == '.' || s[n] == '-' || s[n] == '/') {
		n++
	}
	if n == 1 || n == len(s) || s[n] != ':' {
		return 0
	}
	return n + 1
}

// levelPrefix matches a level of one letter and a colon: Zephyr's minimal log.
func levelPrefix(s string) int {
	if len(s) > 2 && strings.IndexByte("EWID", s[0]) >= 0 && s[1] == ':' && s[2] == ' ' {
		return 2
	}
	return 0
}

// androidPrefix matches the brief form of logcat: F/DEBUG   ( 1234):
func androidPrefix(s string) int {
	if len(s) < 3 || strings.IndexByte("VDIWEFA", s[0]) < 0 || s[1] != '/' {
		return 0
	}
	end := strings.IndexByte(s, ':')
	if end < 0 || end > 60 {
		return 0
	}
	tag, pid, ok := strings.Cut(s[2:end], "(")
	if ok && !isClock(strings.TrimSuffix(pid, ")")) || strings.ContainsAny(strings.TrimRight(tag, " "), " \t") {
		return 0
	}
	return end + 1
}

// logcatLen matches what logcat's threadtime form has behind the time: pid,
// tid, level and tag; Android Studio writes them as 1234-1234/app I/DEBUG:.
func logcatLen(s string) int {
	rest := s
	if word, after := nextWord(s); strings.Contains(word, "-") && strings.Contains(word, "/") && decimals(word) > 0 {
		if n := androidPrefix(strings.TrimLeft(after, " ")); n > 0 {
			return len(s) - len(strings.TrimLeft(after, " ")) + n
		}
	}
	for range 2 {
		rest = strings.TrimLeft(rest, " ")
		n := decimals(rest)
		if n == 0 {
			return 0
		}
		rest = rest[n:]
	}
	rest = strings.TrimLeft(rest, " ")
	if len(rest) < 3 || strings.IndexByte("VDIWEF", rest[0]) < 0 || rest[1] != ' ' {
		return 0
	}
	end := strings.IndexByte(rest, ':')
	if end < 0 || end > 40 {
		return 0
	}
	return len(s) - len(rest) + end + 1
}

// kernelPrefix matches the seconds since the start with a colon, as kernels for
// phones print them: "1276.705430: ".
func kernelPrefix(s string) int {
	n := decimals(s)
	if n == 0 || n == len(s) || s[n] != '.' || decimals(s[n+1:]) != 6 {
		return 0
	}
	if n += 7; !strings.HasPrefix(s[n:], ": ") {
		return 0
	}
	return n + 1
}

// maxHarness is how long what a test harness puts before a line is at most.
const maxHarness = 48

// harnessPrefix matches what the harness that ran a test on a target puts before
// the lines of its console, with the name of the target or without.
func harnessPrefix(s string) int {
	const mark = "console output:"
	at := strings.Index(s, mark)
	if at < 0 || at > maxHarness {
		return 0
	}
	return at + len(mark)
}

// rttPrefix matches the channel that RTT viewers show: "0> ".
func rttPrefix(s string) int {
	n := decimals(s)
	if n == 0 || n > 2 || n == len(s) || s[n] != '>' || n+1 < len(s) && s[n+1] != ' ' {
		return 0
	}
	return n + 1
}

// promptPrefix matches the prompt of a shell: "uart:~$ ", "nsh> ", "msh />", and
// what OctoPrint puts before the lines that it receives.
func promptPrefix(s string) int {
	for _, p := range []string{"uart:~$", "shell:~$", "nsh>", "msh />", "msh >", "finsh >", "Recv:"} {
		if strings.HasPrefix(s, p) {
			return len(p)
		}
	}
	return 0
}

// quotePrefix matches the marks of quoted text, and one that opens a quotation
// which goes on in the lines below.
func quotePrefix(s string) int {
	if s[0] == '`' && len(s) > 1 && strings.IndexByte(s[1:], '`') < 0 {
		return 1
	}
	if len(s) > 1 && (s[0] == '>' || s[0] == '|') && s[1] == ' ' {
		return 1
	}
	return 0
}
