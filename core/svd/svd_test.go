package svd

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the goldens in testdata")

// TestGolden compares what is made of each description in testdata with the
// text beside it.
func TestGolden(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.svd")
	if err != nil || len(files) == 0 {
		t.Fatalf("no descriptions: %v", err)
	}
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) {
			t.Parallel()
			got := describe(parseFile(t, name))
			golden := strings.TrimSuffix(name, ".svd") + ".txt"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func parseFile(t *testing.T, name string) *Device {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	dev, err := Parse(f)
	if err != nil {
		t.Fatal(err)
	}
	return dev
}

func parseText(t *testing.T, text string) *Device {
	t.Helper()
	dev, err := Parse(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return dev
}

// describe writes a device as text.
func describe(d *Device) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s, %s, %s, %q), %d bits, %+v\n", d.Name, d.Vendor, d.Series, d.Version, d.Description, d.Width, d.CPU)
	for _, p := range d.Peripherals {
		fmt.Fprintf(&b, "\n%v %s %q %s %s\n", p.Base, p.Name, p.Description, p.Group, p.DisableCondition)
		for _, k := range p.Blocks {
			fmt.Fprintf(&b, "  block %v %#x %s\n", k.Addr, k.Size, k.Usage)
		}
		for _, i := range p.Interrupts {
			fmt.Fprintf(&b, "  interrupt %d %s %q\n", i.Number, i.Name, i.Description)
		}
		for _, r := range p.Registers {
			describeRegister(&b, d, r)
		}
		for _, r := range d.Reads(p) {
			fmt.Fprintf(&b, "  read %v %d x %d\n", r.Addr, r.Count, r.Width)
		}
	}
	b.WriteString("\n")
	for _, p := range d.Problems {
		fmt.Fprintln(&b, p)
	}
	return b.String()
}

func describeRegister(b *strings.Builder, d *Device, r *Register) {
	words := []string{
		r.Access.String(), r.ReadAction.String(), r.WriteEffect.String(), r.Protection.String(),
		r.Alternate, r.DataType, r.Description,
	}
	if r.DisplayName != r.Path() {
		words = append(words, "shown as "+r.DisplayName)
	}
	if h := d.Hazard(r); h != NoHazard {
		words = append(words, "not read: "+h.String())
	}
	fmt.Fprintf(b, "  %v %s: %d bits, reset %#x/%#x, %s\n", r.Addr, r.Path(), r.Size, r.ResetValue, r.ResetMask, join(words))
	for _, f := range r.Fields {
		words := []string{f.Access.String(), f.ReadAction.String(), f.WriteEffect.String(), f.Description}
		for _, e := range f.Enums {
			words = append(words, e.Usage.String()+":")
			for _, v := range e.Values {
				switch {
				case v.Default:
					words = append(words, "else="+v.Name)
				case ^v.Mask != 0:
					words = append(words, fmt.Sprintf("%#x/%#x=%s", v.Value, v.Mask&f.Max(), v.Name))
				default:
					words = append(words, fmt.Sprintf("%d=%s", v.Value, v.Name))
				}
			}
		}
		if c := f.Constraint; c != nil {
			words = append(words, fmt.Sprintf("%+v", *c))
		}
		fmt.Fprintf(b, "    %d:%d %s: %s\n", f.LSB+f.Width-1, f.LSB, f.Name, join(words))
	}
}

// join joins the words that say something.
func join(words []string) string {
	var said []string
	for _, w := range words {
		if w != "" && w != "modify" {
			said = append(said, w)
		}
	}
	return strings.Join(said, " ")
}
