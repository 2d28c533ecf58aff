package main

// painter colors text for a terminal (ECMA-48, SGR), or leaves it alone.
type painter bool

// newPainter decides whether to color: always, never, or auto: on a terminal
// that does not object (NO_COLOR, TERM=dumb).
func newPainter(when string, e *env) (painter, error) {
	switch when {
	case "always":
		return true, nil
	case "never":
		return false, nil
	case "auto":
		return painter(e.terminal && e.getenv("NO_COLOR") == "" && e.getenv("TERM") != "dumb"), nil
	}
	return false, usagef("--color is auto, always or never, not %q", when)
}

// sgr is a code of Select Graphic Rendition.
type sgr string

const (
	bold   sgr = "1"
	dim    sgr = "2"
	red    sgr = "31"
	yellow sgr = "33"
	cyan   sgr = "36"
)

func (p painter) paint(code sgr, s string) string {
	if !p || s == "" {
		return s
	}
	return "\x1b[" + string(code) + "m" + s + "\x1b[0m"
}
