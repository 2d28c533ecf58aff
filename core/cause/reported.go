package cause

import (
	"cmp"
	"strings"
)

// class is a kind of fault that words and status bits can name.
type class uint8

const (
	classMemManage class = 1 << iota
	classBus
	classUsage
	classSecure
)

// classWords are what writers of artefacts call the kinds, in lower case.
var classWords = []struct {
	text  string
	class class
}{
	{"mpu fault", classMemManage}, {"memmanage", classMemManage}, {"memory management", classMemManage},
	{"mem fault", classMemManage}, {"memory fault", classMemManage}, {"daccviol", classMemManage}, {"iaccviol", classMemManage},
	{"data access violation", classMemManage}, {"instruction access violation", classMemManage},
	{"bus fault", classBus}, {"busfault", classBus}, {"preciserr", classBus}, {"ibuserr", classBus}, {"precise data bus", classBus},
	{"precise data access", classBus}, {"instruction bus error", classBus},
	{"usage fault", classUsage}, {"usagefault", classUsage}, {"undefinstr", classUsage}, {"divbyzero", classUsage},
	{"undefined instruction", classUsage}, {"divide by zero", classUsage}, {"division by zero", classUsage},
	{"unaligned", classUsage}, {"invstate", classUsage}, {"invpc", classUsage}, {"nocp", classUsage},
	{"secure fault", classSecure}, {"securefault", classSecure},
}

// exceptionClasses are the classes by exception number.
var exceptionClasses = map[int]class{4: classMemManage, 5: classBus, 6: classUsage, 7: classSecure}

var classNames = map[class]string{
	classMemManage: "MemManage", classBus: "BusFault", classUsage: "UsageFault", classSecure: "SecureFault",
}

// reported adds what the artefact says of the cause, and where that and the
// fault registers contradict each other.
func (e *explainer) reported() {
	for _, line := range e.in.Reported[e.told:] {
		e.note("reported: %s", line)
	}
	var told, stated class
	text := strings.ToLower(strings.Join(e.in.Reported, "\n"))
	for _, w := range classWords {
		if strings.Contains(text, w.text) {
			told |= w.class
		}
	}
	for _, c := range e.causes {
		stated |= exceptionClasses[c.Exception]
	}
	if told != 0 && stated != 0 && told&stated == 0 {
		e.note("the report contradicts the fault registers: it names a %s, they state a %s", told, stated)
	}
}

// String names the classes of a set.
func (c class) String() string {
	var names []string
	for bit := classMemManage; bit <= classSecure; bit <<= 1 {
		if c&bit != 0 {
			names = append(names, classNames[bit])
		}
	}
	return strings.Join(names, " and a ")
}

// watchdogWords are how reports name a watchdog.
var watchdogWords = []string{"watchdog", "wdt", "wwdg", "iwdg", "wdog"}

// onlyReported takes the cause from the artefact's words, where there are no
// better ones.
func (e *explainer) onlyReported() bool {
	if len(e.in.Reported) == 0 {
		return false
	}
	kind, name := Reported, "Reported"
	for _, w := range watchdogWords {
		if strings.Contains(strings.ToLower(e.in.Reported[0]), w) {
			kind, name = Watchdog, "Watchdog"
		}
	}
	e.out.Name = cmp.Or(e.out.Name, name)
	e.say(kind, "reported: %s", e.in.Reported[0])
	e.told = 1
	return true
}
