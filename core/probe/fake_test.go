package probe

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// fakeMode is the environment variable that makes the test's own program a
// server: what it is to do. fakeText is what it prints.
const (
	fakeMode = "PUSHMASK_FAKE_SERVER"
	fakeText = "PUSHMASK_FAKE_TEXT"
)

func TestMain(m *testing.M) {
	if mode := os.Getenv(fakeMode); mode != "" {
		fakeServer(mode, os.Getenv(fakeText))
		return
	}
	os.Exit(m.Run())
}

// fakeServer plays a GDB server.
func fakeServer(mode, text string) {
	switch mode {
	case "ready": // prints the text, on both streams, and stays
		out, errs, _ := strings.Cut(text, "|")
		fmt.Fprint(os.Stdout, out)
		fmt.Fprint(os.Stderr, errs)
	case "arguments": // prints its command line as OpenOCD would be ready
		fmt.Printf("%q\n", os.Args[1:])
		dir, _ := os.Getwd()
		fmt.Printf("in %s\n%s\n", dir, text)
	case "fail":
		fmt.Fprint(os.Stderr, text)
		os.Exit(1)
	case "end": // ends well, too early
		fmt.Print(text)
		os.Exit(0)
	case "flood":
		for range 20000 {
			fmt.Println(strings.Repeat("flood ", 20))
		}
		fmt.Print(strings.Repeat("x", 3*maxLine)) // a line without an end
		fmt.Printf("\n%s\n", text)
	case "stubborn":
		signal.Ignore(syscall.SIGTERM)
		fmt.Println(text)
	case "parent": // has a child that outlives it unless somebody ends it
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), fakeMode+"=ready", fakeText+"=")
		child.Stdout = os.Stdout
		if err := child.Start(); err != nil {
			fmt.Println("no child:", err)
			os.Exit(2)
		}
		fmt.Printf("child %d\n%s\n", child.Process.Pid, text)
	case "crash": // ends after it was ready
		fmt.Println(text)
		time.Sleep(3 * time.Second) // longer than J-Link's time to settle, on a busy machine
		fmt.Println("Error: the probe is gone")
		os.Exit(3)
	case "listen": // is ready without a word, as QEMU
		port := regexp.MustCompile(`tcp:(\S+:\d+)`).FindStringSubmatch(strings.Join(os.Args, " "))
		l, err := net.Listen("tcp", port[1])
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		defer l.Close()
	}
	time.Sleep(time.Minute) // somebody ends it before
}

// fake is a configuration that runs the fake server.
func fake(t *testing.T, typ Type, mode, text string) Config {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Config{
		Type: typ, Dir: t.TempDir(), Path: self, Env: map[string]string{fakeMode: mode, fakeText: text},
		ConfigFiles: []string{"target.cfg"}, Device: "STM32F407VG", Executable: "fw.elf",
	}
}
