package cause

import (
	"cmp"
	"slices"
	"strings"

	"pushmask/core/exc"
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
	for i, line := range slices.Concat([]string{e.in.Reported}, e.in.ReportedDetails) {
		if line != "" && i+1 != e.told {
			e.note("reported: %s", line)
		}
	}
	told, stated := e.toldClasses(), e.statedClasses()
	if told != 0 && stated != 0 && told&stated == 0 {
		e.note("the report contradicts the fault registers: it names a %s, they state a %s", told, stated)
	}
	if e.out.Name == unnamedFault {
		e.out.Name = e.toldName(told)
	}
}

// unnamedFault is the name of a fault whose exception is not known.
const unnamedFault = "Fault"

// toldName is the exception that the artefact's words name.
func (e *explainer) toldName(told class) string {
	text := strings.ToLower(e.in.Reported)
	switch {
	case strings.Contains(text, "hard fault") || strings.Contains(text, "hardfault"):
		return exc.ExceptionName(hardFault)
	case classNames[told] != "": // exactly one
		return classNames[told]
	}
	return unnamedFault
}

// toldClasses are the kinds of fault that the artefact's words name.
func (e *explainer) toldClasses() class {
	return classesIn(e.in.Reported + "\n" + strings.Join(e.in.ReportedDetails, "\n"))
}

func classesIn(text string) class {
	var found class
	text = strings.ToLower(text)
	for _, w := range classWords {
		if strings.Contains(text, w.text) {
			found |= w.class
		}
	}
	return found
}

// statedClasses are the kinds of fault that the fault registers state.
func (e *explainer) statedClasses() class {
	var stated class
	for _, c := range e.causes {
		stated |= exceptionClasses[c.Exception]
	}
	return stated
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

// reportedKinds are words, in lower case, by which a report tells a kind. The
// first that is found counts.
var reportedKinds = []struct {
	text string
	kind Kind
}{
	{"watchdog", Watchdog}, {"wwdg", Watchdog}, {"iwdg", Watchdog}, {"wdog", Watchdog},
	{"stack overflow", StackOverflow}, {"stack over flow", StackOverflow},
	{"divide by zero", DivisionByZero}, {"division by zero", DivisionByZero},
	{"unaligned", Unaligned}, {"undefined instruction", Undefined},
	{"assert", Assertion}, {"panicked", Assertion}, {"panic", Assertion},
}

// onlyReported takes the cause from the artefact's words, where there are no
// better ones: from the line that says most.
func (e *explainer) onlyReported() bool {
	if e.in.Reported == "" {
		return false
	}
	lines := slices.Concat([]string{e.in.Reported}, e.in.ReportedDetails)
	best := max(0, slices.IndexFunc(lines, func(line string) bool { return reportedKind(line) != Reported || classesIn(line) != 0 }))
	e.told = best + 1
	e.say(reportedKind(lines[best]), "reported: %s", lines[best])
	if e.out.Name == "" {
		e.out.Name = cmp.Or(reportedNames[e.out.Kind], "Reported")
	}
	return true
}

// reportedKind is the kind that a line of a report tells.
func reportedKind(line string) Kind {
	line = strings.ToLower(line)
	for _, w := range reportedKinds {
		if strings.Contains(line, w.text) {
			return w.kind
		}
	}
	return Reported
}

// reportedNames are the names of what is no exception.
var reportedNames = map[Kind]string{Watchdog: "Watchdog", StackOverflow: "StackOverflow", Assertion: "Assertion"}
