package serve

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"strings"
)

// monitor answers qRcmd (E.4): the output of a command, then OK. A command that
// does not exist is no error: scripts of live targets send "monitor reset halt",
// and a client that is told of a failure there gives up the session.
func (c *client) monitor(args string) string {
	text, err := hex.DecodeString(args)
	if err != nil {
		return c.number(errInvalid)
	}
	words := strings.Fields(string(text))
	if len(words) == 0 {
		words = []string{"help"}
	}
	c.print(c.command(words[0], words[1:]))
	return "OK"
}

// command runs a command and returns what it says.
func (c *client) command(name string, args []string) string {
	switch name {
	case "help":
		return c.help()
	case "halt":
		return "" // it is
	}
	for _, cmd := range c.stub.opt.Monitor {
		if cmd.Name != name {
			continue
		}
		var out bytes.Buffer
		if err := cmd.Run(c.ctx, &out, args); err != nil {
			fmt.Fprintf(&out, "pushmask: %v\n", err)
		}
		return out.String()
	}
	return fmt.Sprintf("pushmask: %q does nothing to a crash; \"monitor help\" lists what there is\n", name)
}

func (c *client) help() string {
	var b strings.Builder
	b.WriteString("This is a crash that pushmask serves: it can be examined and neither run nor changed.\n")
	for _, cmd := range c.stub.opt.Monitor {
		fmt.Fprintf(&b, "monitor %-8s %s\n", cmd.Name, cmd.Help)
	}
	return b.String()
}
