package thumb

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"pushmask/core/insn"
)

func TestDevLLVM(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	tops := []uint32{0xec, 0xed, 0xee, 0xef, 0xfc, 0xfd, 0xfe, 0xff}
	var ws []uint32
	for len(ws) < 600000 {
		tp := tops[r.IntN(8)]
		w := tp<<24 | r.Uint32()&0xffffff
		if tp&3 != 3 {
			w |= 0xe00
		} else {
			w &^= 0x00411081 &^ 0
			w |= 0x40
		}
		if r.IntN(3) > 0 {
			w &^= 1 << 22
		}
		if r.IntN(2) > 0 && tp&3 >= 2 {
			w &^= 1<<5 | 1<<7
		}
		ws = append(ws, w)
	}
	f, _ := os.Create("/tmp/th/l.s")
	fmt.Fprintln(f, ".text\n.thumb")
	for _, w := range ws {
		fmt.Fprintf(f, ".inst.w 0x%08x\n.inst.n 0xbf00\n", w)
	}
	f.Close()
	attr := "--mattr=+mve.fp,+fp64,+fullfp16,+fp-armv8d16,+lob,+pacbti,+8msecext,+dsp"
	if o, err := exec.Command("llvm-mc-16", "--triple=thumbv8.1m.main", attr, "-filetype=obj", "-o", "/tmp/th/l.o", "/tmp/th/l.s").CombinedOutput(); err != nil {
		t.Fatal(string(o))
	}
	cmd := exec.Command("llvm-objdump-16", "-d", "--triple=thumbv8.1m.main", attr, "/tmp/th/l.o")
	out, _ := cmd.StdoutPipe()
	cmd.Start()
	got := map[uint32]string{}
	sc := bufio.NewScanner(out)
	for sc.Scan() {
		a, txt, ok := strings.Cut(sc.Text(), ": ")
		v, err := strconv.ParseUint(strings.TrimSpace(a), 16, 32)
		if !ok || err != nil || v%6 != 0 {
			continue
		}
		_, txt, _ = strings.Cut(txt, "\t")
		if strings.Contains(txt, "<unknown>") {
			txt = ""
		}
		got[ws[v/6]] = strings.ReplaceAll(strings.TrimSpace(txt), "\t", " ")
	}
	cmd.Wait()
	bad := map[string]int{}
	ex := map[string]string{}
	nb, nl := 0, 0
	for _, w := range ws {
		i := decodeRaw(w, 4, 0)
		ours := Text(i, insn.AL)
		if i.Flow == insn.FlowUndef {
			ours = ""
		}
		l := got[w]
		if l != "" {
			nl++
		}
		lb, _, _ := strings.Cut(strings.Fields(l + " -")[0], ".")
		ob, _, _ := strings.Cut(strings.Fields(ours + " -")[0], ".")
		if lb != ob && lb != ob+"t" && lb != ob+"e" && !(strings.HasPrefix(lb, "vpt") && ob == "vpt") && !(strings.HasPrefix(lb, "vpst") && ob == "vpst") {
			nb++
			k := lb + " / " + ob
			bad[k]++
			ex[k] = fmt.Sprintf("%08x %s | %s", w, l, ours)
		}
	}
	fmt.Println("llvm valid", nl, "bad", nb)
	for k, n := range bad {
		if n > 1 {
			fmt.Println(n, k, "    ", ex[k])
		}
	}
}
