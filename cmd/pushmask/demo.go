package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"pushmask/dap"
	"pushmask/dap/dapclient"
	"pushmask/testdata/firmware"
)

const demoLong = `
Opens a crash that is built into this program the way an editor does, through
the debug adapter, and prints its call stack with the source lines. --keep
leaves the firmware, the dump and the sources behind, to try other commands on.
`

func demoCommand() *command {
	return &command{
		name:  "demo",
		args:  "[flags]",
		short: "open a built-in crash and print its stack",
		long:  demoLong,
		setup: func(fs *flag.FlagSet) action {
			color := fs.String("color", "auto", "color `when`: auto, always or never")
			keep := fs.String("keep", "", "write the files of the demo to `dir` and keep them")
			return func(ctx context.Context, e *env, args []string) error {
				if len(args) > 0 {
					return usagef("demo takes no arguments, only flags")
				}
				paint, err := newPainter(*color, e)
				if err != nil {
					return err
				}
				return runDemo(ctx, e, paint, *keep)
			}
		},
	}
}

func runDemo(ctx context.Context, e *env, paint painter, dir string) error {
	kept := dir != ""
	if !kept {
		var err error
		if dir, err = os.MkdirTemp("", "pushmask-demo-"); err != nil {
			return err
		}
		defer os.RemoveAll(dir)
	}
	if err := os.CopyFS(dir, firmware.Demo()); err != nil {
		return fmt.Errorf("write the files of the demo: %w", err)
	}
	d := &demo{w: e.stdout, paint: paint, dir: dir}
	if err := d.throughAdapter(ctx); err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	if kept {
		fmt.Fprintf(e.stdout, "\nTry: pushmask bt %s %s\n", filepath.Join(dir, firmware.DemoImage), filepath.Join(dir, firmware.DemoDump))
	}
	return nil
}

// demo prints what the debug adapter says of the crash in dir.
type demo struct {
	w      io.Writer
	paint  painter
	dir    string
	client *dapclient.Client
}

// throughAdapter runs a session with the debug adapter in this process.
func (d *demo) throughAdapter(ctx context.Context) error {
	client, served := dapclient.Start(func(rw io.ReadWriter) error {
		return dap.Serve(ctx, rw, dap.Options{})
	})
	d.client = client
	err := d.session()
	client.Close()
	if serveErr := <-served; err == nil {
		err = serveErr
	}
	return err
}

// session is what an editor does after F5: open the crash, find out why the
// program stopped, and show the stack of the stopped thread.
func (d *demo) session() error {
	c := d.client
	if _, err := c.Initialize(); err != nil {
		return err
	}
	if err := c.Launch(map[string]any{
		"program":       filepath.Join(d.dir, firmware.DemoImage),
		"coreFile":      filepath.Join(d.dir, firmware.DemoDump),
		"sourceFileMap": map[string]string{firmware.SourceRoot: d.dir},
	}); err != nil {
		return err
	}
	if err := c.Event("initialized", nil); err != nil {
		return err
	}
	if err := c.ConfigurationDone(); err != nil {
		return err
	}
	if err := c.Event("stopped", nil); err != nil {
		return err
	}
	if err := d.showThreads(); err != nil {
		return err
	}
	return c.Disconnect()
}

func (d *demo) showThreads() error {
	threads, err := d.client.Threads()
	if err != nil {
		return err
	}
	for _, t := range threads {
		info, err := d.client.ExceptionInfo(t.Id)
		if err != nil {
			return err
		}
		reason, _, _ := strings.Cut(info.Description, "\n")
		fmt.Fprintf(d.w, "%s: %s, %s\n\n", d.paint.paint(bold, t.Name), d.paint.paint(red, info.ExceptionId), reason)
		if err := d.showStack(t.Id); err != nil {
			return err
		}
	}
	return nil
}

func (d *demo) showStack(thread int) error {
	stack, err := d.client.StackTrace(thread, 0, 0)
	if err != nil {
		return err
	}
	for i, f := range stack.StackFrames {
		fmt.Fprintf(d.w, "#%-3d %s", i, d.paint.paint(cyan, f.Name))
		if f.Source == nil || f.Source.Path == "" {
			fmt.Fprintln(d.w)
			continue
		}
		name := strings.TrimPrefix(filepath.ToSlash(f.Source.Path), filepath.ToSlash(d.dir)+"/")
		fmt.Fprintf(d.w, " at %s:%d\n", name, f.Line)
		if err := d.showSource(f.Source.Path, f.Line); err != nil {
			return err
		}
	}
	return nil
}

// showSource prints a line of a source file and those around it.
func (d *demo) showSource(path string, line int) error {
	const around = 1
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	lines := strings.Split(string(content), "\n")
	for n := max(line-around, 1); n <= min(line+around, len(lines)); n++ {
		mark, text := "  ", strings.TrimRight(lines[n-1], "\r")
		if n == line {
			mark, text = "=>", d.paint.paint(bold, text)
		}
		row := fmt.Sprintf("     %s %4d  %s", mark, n, text)
		fmt.Fprintln(d.w, strings.TrimRight(row, " "))
	}
	return nil
}
