package dap

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"pushmask/core/probe"
)

// serverConfig is what the configuration says of the server. Attributes of the
// wrong type are refused.
func (c *launchConfig) serverConfig() (probe.Config, error) {
	p := probe.Config{
		Type: probe.Type(c.serverType), Attach: !c.launching(), Dir: c.cwd, Executable: c.program(), SerialPort: c.gdbTarget,
	}
	if p.Type == "" {
		p.Type = probe.External
	}
	for name, to := range map[string]any{
		"env": &p.Env, "serverpath": &p.Path, "serverArgs": &p.Args, "serverCwd": &p.WorkDir,
		"overrideGDBServerStartedRegex": &p.StartedRegexp,
		"device":                        &p.Device, "interface": &p.Interface, "serialNumber": &p.SerialNumber, "ipAddress": &p.IPAddress,
		"rtos": &p.RTOS, "numberOfProcessors": &p.Processors, "targetProcessor": &p.Processor,
		"configFiles": &p.ConfigFiles, "searchDir": &p.SearchDirs,
		"openOCDLaunchCommands": &p.LaunchCommands, "openOCDPreConfigLaunchCommands": &p.PreConfigCommands,
		"jlinkscript": &p.JLinkScript, "boardId": &p.BoardID, "targetId": (*idText)(&p.TargetID), "cmsisPack": &p.CMSISPack,
		"stm32cubeprogrammer": &p.Programmer, "v1": &p.STLinkV1, "cpu": &p.CPU, "machine": &p.Machine, "powerOverBMP": &p.Power,
	} {
		raw := c.given[name]
		if len(raw) == 0 || string(raw) == "null" {
			continue
		}
		if err := json.Unmarshal(raw, to); err != nil && p.Type.Starts() {
			return p, failf(errConfig, "%q has the wrong type for the server: %w", name, err)
		}
	}
	return p, nil
}

// idText is an identifier: a word in quotes, or a number as those of Black Magic
// Probe's targets are written.
type idText string

// UnmarshalJSON implements json.Unmarshaler.
func (t *idText) UnmarshalJSON(raw []byte) error {
	var number json.Number // also a number in quotes
	if json.Unmarshal(raw, &number) == nil {
		*t = idText(number)
		return nil
	}
	return json.Unmarshal(raw, (*string)(t))
}

// starter starts a server.
type starter func(ctx context.Context, cfg probe.Config, opt probe.Options) (*probe.Server, error)

// startServer starts the server that the configuration asks for and returns its
// address.
func (a *adapter) startServer(ctx context.Context, cfg probe.Config) (string, error) {
	a.progress.setStep("starting " + cfg.Type.Name())
	s, err := a.startProbe(ctx, cfg, probe.Options{Output: func(l probe.Line) {
		category := "stdout"
		if l.Stderr {
			category = "stderr"
		}
		a.output(category, l.Text+"\n")
	}})
	if err != nil {
		return "", serverFailure(ctx, err)
	}
	a.console("console", "started %s", strings.Join(s.Command(), " "))
	a.server = s
	return s.Address(), nil
}

// serverFailure words the failure to start a server.
func serverFailure(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return err
	}
	if e, ok := errors.AsType[*probe.ConfigError](err); ok {
		return failf(errConfig, "%w", e)
	}
	return failf(errServer, "%w", err)
}

// watchServer has the session end with its server.
func (a *adapter) watchServer(d *debuggee) {
	s := a.server
	if s == nil {
		return
	}
	go func() {
		select {
		case <-s.Done():
			a.post(d, func(context.Context) { a.serverEnded(d, s) })
		case <-d.live.closed:
		}
	}()
}

// serverEnded ends the session of a server that has ended by itself.
func (a *adapter) serverEnded(d *debuggee, s *probe.Server) {
	if a.server != s {
		return // the session has ended meanwhile
	}
	text := ""
	if lines := s.LastLines(); len(lines) > 0 {
		text = ": " + lines[len(lines)-1]
	}
	a.console("important", "%s has ended%s; its output above says why, start the session again when that is solved", s.Name(), text)
	a.endSession(leaveHalted)
	a.out.emit("terminated", terminatedEvent())
}

// endServer ends the server that was started for the session.
func (a *adapter) endServer() {
	if a.server == nil {
		return
	}
	if err := a.server.Close(); err != nil {
		a.log.Info("server ended", "server", a.server.Name(), "error", err)
	}
	a.server = nil
}
