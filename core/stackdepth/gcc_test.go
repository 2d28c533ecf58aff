package stackdepth

import (
	"bufio"
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pushmask/core"
)

// gccNode is what gcc says of one function (-fcallgraph-info=su).
type gccNode struct {
	title   string
	size    uint32
	dynamic bool
	callees map[string]bool // titles
	unknown bool            // it has an indirect call
}

// symbolOf is the name in the symbol table: the title of a function that is not
// global has its file before it.
func symbolOf(title string) string { return title[strings.LastIndex(title, ":")+1:] }

var (
	ciNode = regexp.MustCompile(`^node: \{ title: "([^"]*)" label: "([^"]*)"`)
	ciEdge = regexp.MustCompile(`^edge: \{ sourcename: "([^"]*)" targetname: "([^"]*)"`)
	ciSize = regexp.MustCompile(`\\n(\d+) bytes \(([a-z,]+)\)`)
	suLine = regexp.MustCompile(`^\S+:\d+:\d+:(.*)\t(\d+)\t([a-z,]+)$`)
)

// readCI reads a call graph of gcc, which is in the VCG language.
func readCI(t *testing.T, path string) map[string]*gccNode {
	t.Helper()
	nodes := map[string]*gccNode{}
	eachLine(t, path, func(line string) {
		if m := ciNode.FindStringSubmatch(line); m != nil {
			if s := ciSize.FindStringSubmatch(m[2]); s != nil {
				size, err := strconv.ParseUint(s[1], 10, 32)
				if err != nil {
					t.Fatal(err)
				}
				nodes[m[1]] = &gccNode{title: m[1], size: uint32(size), dynamic: s[2] != "static", callees: map[string]bool{}}
			}
		}
		m := ciEdge.FindStringSubmatch(line)
		switch n := nodes[at(m, 1)]; {
		case m == nil:
		case n == nil:
			t.Errorf("%s: an edge from %q, which has no node", path, m[1])
		case m[2] == "__indirect_call":
			n.unknown = true
		default:
			n.callees[m[2]] = true
		}
	})
	return nodes
}

func at(m []string, i int) string {
	if i < len(m) {
		return m[i]
	}
	return ""
}

// countSU counts the functions of a stack usage file.
func countSU(t *testing.T, path string) (n, bytes int) {
	t.Helper()
	eachLine(t, path, func(line string) {
		m := suLine.FindStringSubmatch(line)
		if m == nil {
			t.Fatalf("%s: cannot read %q", path, line)
		}
		size, err := strconv.Atoi(m[2])
		if err != nil {
			t.Fatal(err)
		}
		n, bytes = n+1, bytes+size
	})
	return n, bytes
}

func eachLine(t *testing.T, path string, do func(string)) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s := bufio.NewScanner(f)
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		do(s.Text())
	}
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
}

// gccTarget is a way to compile.
type gccTarget struct {
	name  string
	flags []string
}

var gccTargets = []gccTarget{
	{"m0", []string{"-mcpu=cortex-m0"}},
	{"m3", []string{"-mcpu=cortex-m3"}},
	{"m4f", []string{"-mcpu=cortex-m4", "-mfloat-abi=hard", "-mfpu=fpv4-sp-d16"}},
}

// gccProgram is what is linked: sources by their base name, and the flags.
type gccProgram struct {
	name    string
	sources []string
	link    []string
}

const firmware = "../../testdata/firmware/"

var (
	application = []string{"packet.c", "sensor.c", "filter.c", "sampler.c", "check.c"}
	board       = []string{"startup.c", "board.c", "libc.c"}
	boardLink   = []string{"-L" + firmware + "board", "-Tmps2.ld"}
)

var gccPrograms = []gccProgram{
	{"firmware", slices.Concat([]string{"main.c"}, application, board), boardLink},
	{"cpp", slices.Concat([]string{"station.cpp"}, board), boardLink},
	{"task", slices.Concat([]string{"task_main.c", "task.c"}, application, board), boardLink}, // v7-M only
	{"shapes", []string{"shapes.c", "callees.c"}, []string{"-Wl,-Ttext=0x8000,-e,start"}},
}

// compiler compiles for one target at one level, each source once.
type compiler struct {
	target  gccTarget
	level   string
	dir     string
	objects map[string]string
	nodes   map[string][]*gccNode // by source
}

// object compiles a source and reads gcc's figures.
func (c *compiler) object(t *testing.T, source string) string {
	t.Helper()
	if o, ok := c.objects[source]; ok {
		return o
	}
	path := ""
	for _, dir := range []string{"testdata/", firmware + "app/", firmware + "board/"} {
		if _, err := os.Stat(dir + source); err == nil {
			path = dir + source
		}
	}
	obj := filepath.Join(c.dir, source+".o")
	args := append([]string{
		"-mthumb", c.level, "-ffreestanding", "-fno-tree-loop-distribute-patterns",
		"-I" + firmware + "app", "-I" + firmware + "board", "-DLINK_BYTES=0x7e,1,0,0x7f",
		"-fstack-usage", "-fcallgraph-info=su", "-c", path, "-o", obj,
	}, c.target.flags...)
	if filepath.Ext(source) == ".cpp" {
		args = append(args, "-std=c++17", "-fno-rtti", "-fno-threadsafe-statics", "-fexceptions")
	}
	gcc(t, args...)
	c.objects[source] = obj
	base := strings.TrimSuffix(obj, ".o")
	n, bytes := countSU(t, base+".su")
	for _, node := range readCI(t, base+".ci") {
		c.nodes[source] = append(c.nodes[source], node)
		n, bytes = n-1, bytes-int(node.size)
	}
	if n != 0 || bytes != 0 {
		t.Errorf("%s: .su and .ci differ by %d functions, %d bytes", source, n, bytes)
	}
	return obj
}

// build links a program and returns its path with gcc's figures.
func (c *compiler) build(t *testing.T, p *gccProgram) (path string, nodes []*gccNode) {
	t.Helper()
	path = filepath.Join(c.dir, p.name+".elf")
	args := append([]string{"-mthumb", "-nostdlib", "-Wl,--no-warn-rwx-segments", "-o", path}, c.target.flags...)
	args = append(args, p.link...)
	for _, s := range p.sources {
		args = append(args, c.object(t, s))
		nodes = append(nodes, c.nodes[s]...)
	}
	gcc(t, append(args, "-lgcc")...)
	return path, nodes
}

func gcc(t *testing.T, args ...string) {
	t.Helper()
	out, err := exec.Command("arm-none-eabi-gcc", args...).CombinedOutput()
	if err != nil {
		t.Fatalf("arm-none-eabi-gcc %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// symbolTable maps the names of functions to their addresses; names that
// several functions have are left out.
func symbolTable(t *testing.T, path string) map[string]core.Addr {
	t.Helper()
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	syms, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	m, twice := map[string]core.Addr{}, map[string]bool{}
	for _, s := range syms {
		if elf.ST_TYPE(s.Info) != elf.STT_FUNC {
			continue
		}
		a, _ := core.CodeAddr(uint32(s.Value))
		if o, ok := m[s.Name]; ok && o != a {
			twice[s.Name] = true
		}
		m[s.Name] = a
	}
	for n := range twice {
		delete(m, n)
	}
	return m
}
