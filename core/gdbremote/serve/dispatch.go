package serve

import (
	"fmt"
	"strconv"
	"strings"

	"pushmask/core"
)

// handler answers a packet; args is what follows its name and the separator. ok
// is false where the protocol has no answer.
type handler func(c *client, args string) (reply string, ok bool)

// answer makes a handler of a function that always answers.
func answer(f func(c *client, args string) string) handler {
	return func(c *client, args string) (string, bool) { return f(c, args), true }
}

// constant makes a handler of an answer that is always the same.
func constant(reply string) handler {
	return func(*client, string) (string, bool) { return reply, true }
}

const readOnly = "a crash is at rest: it can be read and not changed"

// refused is the handler of packets that would change the machine.
var refused = answer(func(c *client, _ string) string { return c.refuse(readOnly) })

// letters are the packets of one letter (E.2).
var letters = map[byte]handler{
	'!': constant("OK"),
	'?': answer((*client).halted),
	'c': answer((*client).resume), 'C': answer((*client).resume),
	's': answer((*client).resume), 'S': answer((*client).resume),
	'D': constant("OK"),
	'g': answer((*client).readRegisters),
	'p': answer((*client).readRegister),
	'G': refused, 'P': refused, 'M': refused, 'X': refused, 'Z': refused, 'z': refused,
	'H': answer((*client).selectThread),
	'T': answer((*client).isAlive),
	'k': (*client).kill,
	'm': answer((*client).readHex),
	'x': answer((*client).readBinary),
	'R': func(*client, string) (string, bool) { return "", false }, // restart: has no answer
}

// named are the packets with a name: those of E.4 and E.2 (v), and lldb's.
var named = map[string]handler{
	"qSupported":       answer((*client).supported),
	"QStartNoAckMode":  answer((*client).startNoAck),
	"qC":               answer((*client).current),
	"qAttached":        constant("1"), // gdb detaches at its end and does not kill
	"qOffsets":         answer((*client).offsets),
	"qSymbol":          constant("OK"),
	"qfThreadInfo":     answer((*client).firstThreads),
	"qsThreadInfo":     constant("l"),
	"qThreadExtraInfo": answer((*client).extraInfo),
	"qRcmd":            answer((*client).monitor),
	"qXfer":            answer((*client).transfer),

	"vCont?":          constant("vCont;c;C;s;S"),
	"vCont":           answer((*client).resume),
	"vCtrlC":          constant("OK"),
	"vMustReplyEmpty": constant(""),
	"vKill":           constant("OK"),
	"vAttach":         answer((*client).halted),
	"vRun":            refused,
	"vFlashErase":     refused, "vFlashWrite": refused, "vFlashDone": refused,
	"vFile": answer((*client).fileRequest),

	"QThreadSuffixSupported": answer((*client).threadSuffix),
	"QListThreadsInStopReply": answer(func(c *client, _ string) string {
		c.listThreads = true
		return "OK"
	}),
	"QEnableErrorStrings": answer(func(c *client, _ string) string {
		c.errorText = true
		return "OK"
	}),
	"qMemoryRegionInfo": answer((*client).regionInfo),
	"qGetWorkingDir":    constant("E16"), // there is no file system
}

// dispatch finds the handler of a packet. What is not known has an empty
// answer, as the protocol demands (E.1).
func (c *client) dispatch(request string) (reply string, ok bool) {
	if request == "" {
		return "", true
	}
	switch request[0] {
	case 'q', 'Q', 'v', 'j', '_':
		if id, ok := strings.CutPrefix(request, "qThreadStopInfo"); ok {
			return c.threadStop(id), true // the one without a separator
		}
		name, args := request, ""
		if i := strings.IndexAny(request, ":,;"); i >= 0 {
			name, args = request[:i], request[i+1:]
		}
		if h, ok := named[name]; ok {
			return h(c, args)
		}
	default:
		if h, ok := letters[request[0]]; ok {
			return h(c, request[1:])
		}
	}
	return "", true
}

// parseHex reads a hexadecimal word that is all of the text.
func parseHex(text string) (uint32, bool) {
	v, err := strconv.ParseUint(text, 16, 32)
	return uint32(v), err == nil
}

// parsePair reads "address,length".
func parsePair(args string) (a, n uint32, ok bool) {
	left, right, _ := strings.Cut(args, ",")
	a, okA := parseHex(left)
	n, okN := parseHex(right)
	return a, n, okA && okN
}

// parseThread reads a thread ID; 0 (any) and -1 (all) are other for the caller.
func parseThread(text string, other core.ThreadID) (core.ThreadID, bool) {
	if text == "0" || text == "-1" {
		return other, true
	}
	v, ok := parseHex(text)
	return core.ThreadID(v), ok && v <= 1<<31-1
}

// threadID is a thread ID as the protocol has it.
func threadID(id core.ThreadID) string { return fmt.Sprintf("%x", int(id)) }
