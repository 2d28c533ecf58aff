package inspect_test

import (
	"context"
	"strings"
	"testing"

	"pushmask/core"
	"pushmask/core/coretest/images"
	"pushmask/core/inspect"
	"pushmask/core/memmap"
	"pushmask/core/session"
)

// openImages opens the images of a firmware, the application first.
func openImages(t testing.TB, f *images.Firmware) *session.Program {
	t.Helper()
	all := f.Images()
	cfg := session.Config{Image: all[0].Path, Bias: all[0].Bias}
	for _, m := range all[1:] {
		cfg.More = append(cfg.More, session.ImageFile{Path: m.Path, Bias: m.Bias})
	}
	p, err := session.OpenProgram(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

// functionIn returns the address of a function of one image.
func functionIn(t testing.TB, p *session.Program, image, name string) core.Addr {
	t.Helper()
	m, ok := p.Images().Named(image)
	if !ok {
		t.Fatalf("no image %s", image)
	}
	list := m.Lookup(name)
	if len(list) == 0 {
		t.Fatalf("no function %s in %s", name, image)
	}
	a, _ := core.CodeAddr(list[0].Addr)
	return a
}

// stopAt runs a firmware until a function is entered, and returns the machine.
func stopAt(t testing.TB, f *images.Firmware, s images.Scenario, at core.Addr) *stopped {
	t.Helper()
	c := f.StopAt(t, s, at)
	regs, err := c.Registers(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	m := &stopped{regs: regs}
	for _, r := range []struct{ addr, size core.Addr }{{0x20000000, 0x4000}, {0x20100000, 0x4000}, {0xe000ed00, 0x40}} {
		data := make([]byte, r.size)
		if _, err := c.ReadMemory(t.Context(), r.addr, data); err != nil {
			t.Fatal(err)
		}
		m.memory.AddBytes(r.addr, data)
	}
	return m
}

// openJoined opens a stopped machine as the one that an image runs on.
func openJoined(t testing.TB, p *session.Program, m *stopped) (*session.Session, []session.Frame) {
	t.Helper()
	ctx := context.Background()
	s, err := p.OpenTarget(ctx, m)
	if err != nil {
		t.Fatal(err)
	}
	s.JoinSystem(ctx, nil)
	k, err := s.Stack(s.Threads()[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	frames, err := k.Frames(ctx, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	return s, frames
}

// TestImagesNames checks what names mean in frames of two images that have the
// same ones: app.elf called boot.elf, which called it back.
func TestImagesNames(t *testing.T) {
	t.Parallel()
	// Of app.elf, what its interrupt changes is not looked at: it may have run.
	f := images.Build(t, "m3-O0")
	p := openImages(t, f)
	s, frames := openJoined(t, p, stopAt(t, f, images.Run, functionIn(t, p, "app.elf", "scale")))
	for i, want := range []string{"app.elf scale", "boot.elf each", "app.elf measure", "app.elf work", "app.elf main"} {
		if got := frames[i].Image + " " + frames[i].Function; got != want {
			t.Fatalf("#%d is %s, want %s", i, got, want)
		}
	}
	const apps = " (this memory belongs to app.elf)"
	for _, c := range []struct {
		frame      int
		expr, want string
	}{
		{0, "config.range.high", "85 (0x55)"},
		{0, "sizeof(config.gain)", "3"},
		{0, "samples[0]", "3 (0x3)"},
		{0, "services.version", "1 (0x1)"}, // a tag in app.elf, a variable in boot.elf
		{0, "services.checksum == checksum", "1 (0x1)"},
		{0, "checksum", "... <boot.elf!checksum>"},
		{0, "(struct services *)0", "0x00000000"},
		{0, "'boot.elf'::config.reason,x", "0x55ffd8" + apps},
		{0, "'boot.elf'::'boot/main.c'::config.reason,x", "0x55ffd8" + apps},
		{0, "'boot/main.c'::state", "3 (0x3)" + apps},
		{0, "*&'boot.elf'::state", "3 (0x3)"}, // where a pointer points to is no variable
		{1, "n", "5 (0x5)"},
		{1, "state", "3 (0x3)" + apps},
		{1, "state + 1", "4 (0x4) (from memory that belongs to app.elf)"},
		{1, "sizeof(state) + n", "9 (0x9)"},
		{1, "&state == 0", "0 (0x0)"},
		{1, "state,x", "0x3" + apps},
		{1, "visit", "... <scale>"},
		{1, "samples[4]", "5 (0x5)"},
		{1, "config.range", `error: struct config has no member "range"`},
		{1, "'app.elf'::config.range.low", "-40 (0xffd8)"},
		{1, "'app.elf'::'app/main.c'::config.gain[0]", "1 '\\001'"},
		{1, "'app/main.c'::config.gain[1]", "-2 '\\376'"},
		{1, "sizeof(config.boots)", "2"},
		{1, "((struct config *)&'app.elf'::config)->reason,x", "0x55ffd8"},
		{1, "(('app.elf'::struct config *)&'app.elf'::config)->range.high", "85 (0x55)"},
		{1, "({'app.elf'::struct config} &'app.elf'::config).range", "{low = -40, high = 85}"},
		{1, "sizeof(((const 'boot.elf'::struct config *)0)->tries)", "2"},
		{1, "scale", "... <scale>"},
		{2, "n", "5 (0x5)"},
		{2, "each", "... <boot.elf!each>"},
		{2, "CRASH_APP", "CRASH_APP"},
		{0, "'boot.elf'::nothing", `error: no symbol "nothing" in "boot.elf"`},
		{0, "'rom.elf'::nothing", `error: no image, file or function "rom.elf"`},
		{0, "'rom.elf'::'x.c'::nothing", `error: no image "rom.elf"`},
		{0, "'boot.elf'::'x.c'::nothing", `error: no file or function "x.c" of "boot.elf"`},
		{0, "'boot.elf'::'boot/main.c'::samples", `error: no symbol "samples" in "boot/main.c" of "boot.elf"`},
		{0, "('rom.elf'::struct config *)0", `error: no image "rom.elf"`},
		{0, "('boot.elf'::struct range *)0", `error: no type "struct range" in boot.elf`},
		{0, "'a'::'b'::'c'::d", "error: expected a name: it has an image and a file before it at most"},
	} {
		got := ""
		v, err := s.Evaluate(context.Background(), c.expr, &frames[c.frame])
		if got = v.Text; err != nil {
			got = "error: " + strings.Split(err.Error(), " at column")[0]
		}
		if end, cut := strings.CutPrefix(c.want, "..."); got != c.want && !(cut && strings.HasSuffix(got, end)) {
			t.Errorf("#%d %s: %s, want %s", c.frame, c.expr, got, c.want)
		}
	}
}

// TestImagesCutStack checks that a stack without its end does not say whose the RAM
// is: its last frame is of a boot loader that the application called.
func TestImagesCutStack(t *testing.T) {
	t.Parallel()
	f := images.Build(t, "m3-O0")
	p := openImages(t, f)
	whole := stopAt(t, f, images.Run, functionIn(t, p, "app.elf", "scale"))
	cut := &stopped{regs: whole.regs}
	variables := make([]byte, 0x100)
	if _, err := whole.memory.ReadAt(0x20000000, variables); err != nil {
		t.Fatal(err)
	}
	cut.memory.AddBytes(0x20000000, variables)
	s, frames := openJoined(t, p, cut)
	if n := len(frames); n != 2 || frames[1].Image != "boot.elf" {
		t.Fatalf("%d frames: %+v", n, frames)
	}
	for i, x := range []struct{ expr, want string }{{"samples[0]", "3 (0x3)"}, {"state", "3 (0x3) (this memory belongs to app.elf)"}} {
		if v, err := s.Evaluate(context.Background(), x.expr, &frames[i]); err != nil || v.Text != x.want {
			t.Errorf("#%d: %s, %v, want %s", i, v.Text, err, x.want)
		}
	}
}

// TestImagesTypes checks that types of expressions are those of the right image.
func TestImagesTypes(t *testing.T) {
	t.Parallel()
	p := openImages(t, images.Build(t, "m3-O0"))
	f := &inspect.Frame{Lookup: functionIn(t, p, "app.elf", "main"), HasPC: true, Memory: &memmap.Map{}}
	s, err := p.Static(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ text, want string }{
		{"config.range.low", "int16_t"},
		{"'boot.elf'::config.boots", "uint16_t"},
		{"services.each", "int (*)(const int *, int, int (*)(int))"},
		{"'boot.elf'::struct config", "struct config"},
		{"('boot.elf'::struct config *)0", "struct config *"},
	} {
		got, _, err := s.Inspect().TypeOf(f, c.text)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
		} else if got.Name() != c.want {
			t.Errorf("%s: %s, want %s", c.text, got.Name(), c.want)
		}
	}
}

// TestImagesComplete completes names of both images, those of the frame's first.
func TestImagesComplete(t *testing.T) {
	t.Parallel()
	p := openImages(t, images.Build(t, "m3-O0"))
	s, err := p.Static(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ text, want string }{
		{"sta", "0; state (int)"},
		{"serv", "0; services (const struct services)"},
		{"config.", "7; mode (uint8_t); gain (int8_t [3]); period (uint32_t); range (struct {...})"},
		{"'boot.elf'::config.", "19; magic (uint32_t); boots (uint16_t); tries (uint16_t); reason (const char *)"},
		{"'boot.elf'::ser", "12; services (const struct services)"},
		{"'boot.elf'::'boot/main.c'::c", "27; config (struct config)"},
		{"'app.elf'::'main.c'::s", "21; state (int); samples (int [5])"},
		{"'bo", "1; boot.elf as boot.elf'"},
		{"(struct serv", "8; services (struct services)"},
		{"(struct pla", "8"},
		{"('boot.elf'::struct con", "20; config (struct config)"},
	} {
		if got := completed(t, s, c.text); got != c.want {
			t.Errorf("%s: %s, want %s", c.text, got, c.want)
		}
	}
}

// TestImagesAmbiguous checks what a name says that several images have.
func TestImagesAmbiguous(t *testing.T) {
	t.Parallel()
	p := openImages(t, images.Build(t, "m3-zephyr"))
	s, err := p.Static(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	const several = `"zephyr.elf" is the name of several images: app/zephyr/zephyr.elf, mcuboot/zephyr/zephyr.elf`
	for _, c := range []struct{ expr, want string }{
		{"'zephyr.elf'::state", several},
		{"'zephyr.elf'::'boot/main.c'::state", several},
		{"sizeof('zephyr.elf'::struct config)", several},
		{"sizeof('mcuboot/zephyr/zephyr.elf'::'boot/main.c'::state)", "4"},
		{"'mcuboot/zephyr/zephyr.elf'::services.checksum == checksum", "1 (0x1)"},
	} {
		v, err := s.Evaluate(context.Background(), c.expr, nil)
		got := v.Text
		if err != nil {
			got = strings.Split(err.Error(), " at column")[0]
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.expr, got, c.want)
		}
	}
}

// TestImagesEntryValues checks an argument whose register is used for something
// else: its value at entry is what app.elf called rom.elf with.
func TestImagesEntryValues(t *testing.T) {
	t.Parallel()
	f := images.Build(t, "m3-rom")
	p := openImages(t, f)
	s, frames := openJoined(t, p, stopAt(t, f, images.Run, functionIn(t, p, "app.elf", "descending")))
	if got := frames[1].Image + " " + frames[1].Function; got != "rom.elf rom_sort" {
		t.Fatalf("#1 is %s", got)
	}
	v, err := s.Evaluate(context.Background(), "list", &frames[1])
	if err != nil || v.Text != "0x20000000 <samples>" {
		t.Errorf("list is %s, %v", v.Text, err)
	}
}

// TestImagesExpressions checks that what is shown of each image has an expression
// that means it in the frames of all of them.
func TestImagesExpressions(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"m3-O2", "m3-zephyr", "m3-rom", "m3-placed"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := images.Build(t, name)
			p := openImages(t, f)
			app := p.Images().Name(p.Images().Main())
			s, frames := openJoined(t, p, stopAt(t, f, images.Run, functionIn(t, p, app, "scale")))
			ctx := context.Background()
			shown := make(map[string]int)
			for i := range frames {
				f, err := s.InspectFrame(ctx, &frames[i])
				if err != nil {
					t.Fatal(err)
				}
				list, _ := s.Inspect().Globals(f, "", 0, 0)
				for _, other := range s.Inspect().OtherImages(f) {
					more, _ := s.Inspect().GlobalsOf(f, other, "", 0, 0)
					list = append(list, more...)
				}
				list = append(list, s.Inspect().Statics(f)...)
				for k := range frames {
					for _, v := range list {
						if v.Value.Expr == "" {
							t.Errorf("no expression means %s", v.Name)
						}
						shown[v.Value.Expr] += checkExpressions(t, s, &frames[k], v.Value, 0)
					}
				}
			}
			t.Log(len(frames), "frames,", len(shown), "variables")
			if len(shown) < 9 {
				t.Errorf("only %d variables: %v", len(shown), shown)
			}
		})
	}
}

// openBeside opens a program of testdata that is not the main image, and never ran.
func openBeside(t *testing.T, source string) (*session.Program, *session.Session) {
	t.Helper()
	b := build{compiler: "gcc", source: source, options: "-O0 -gdwarf-5"}
	p, err := session.OpenProgram(t.Context(), session.Config{
		Image: "../../testdata/firmware/demo/fw.elf", Bias: 0x60000000, More: []session.ImageFile{{Path: b.compile(t)}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	s, err := p.Static(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return p, s
}

// TestImagesExpressionsOfClasses is the same for base classes, static members and
// views of a program in C++ that is not the main image: where each lies, since it
// never ran.
func TestImagesExpressionsOfClasses(t *testing.T) {
	t.Parallel()
	p, s := openBeside(t, "program.cpp")
	f := &inspect.Frame{Lookup: functionIn(t, p, "fw.elf", "main"), HasPC: true, Memory: s.Memory()}
	list, _ := s.Inspect().GlobalsOf(f, "program.elf", "", 0, 0)
	checked, bases := 0, 0
	for _, v := range list {
		checked += checkAbroad(t, s.Inspect(), f, v.Value, 0, &bases)
	}
	if t.Log(checked, bases); checked < 300 || bases < 20 {
		t.Errorf("only %d expressions, %d of base classes", checked, bases)
	}
}

// TestImagesStatics finds the static of a function, and a member of a class, of
// another image.
func TestImagesStatics(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for _, c := range []struct {
		source, symbol string
		exprs          []string
	}{
		{"program.c", "calls", []string{"leaf::calls", "'program.elf'::leaf::calls", "'program.elf'::'leaf'::calls", "'leaf'::calls"}},
		{"program.cpp", "shapes::Base::made", []string{"shapes::Base::made", "'program.elf'::shapes::Base::made", "(('program.elf'::shapes::Square *)0)->made"}},
	} {
		p, s := openBeside(t, c.source)
		symbols := p.Images().Variables(c.symbol)
		if len(symbols) != 1 {
			t.Fatalf("%d symbols %s", len(symbols), c.symbol)
		}
		for _, expr := range c.exprs {
			v, err := s.Evaluate(ctx, "&("+expr+")", nil)
			if err != nil || v.U32 != symbols[0].Addr {
				t.Errorf("%s: at %#x, want %#x, %v", expr, v.U32, symbols[0].Addr, err)
			}
		}
	}
}

// checkAbroad evaluates the expressions of a value and of its parts in a frame of
// another image, and counts those of base classes.
func checkAbroad(t *testing.T, p *inspect.Program, f *inspect.Frame, v *inspect.Value, depth int, bases *int) (n int) {
	t.Helper()
	if v.Expr != "" {
		n++
		got, err := p.Evaluate(f, v.Expr)
		if err != nil {
			if v.Err() == nil {
				t.Errorf("%s: %v", v.Expr, err)
			}
			return n
		}
		at, _ := v.Address()
		if again, _ := got.Address(); at != again || got.Text() != v.Text() || got.Type.Name() != v.Type.Name() {
			t.Errorf("%s: at %v %s, want %v %s", v.Expr, again, got.Text(), at, v.Text())
		}
	}
	if depth == 4 {
		return n
	}
	for _, c := range append(v.Named(0, 0), v.Indexed(0, 3)...) {
		if strings.HasPrefix(c.Name, "<") && c.Value.Expr != "" {
			*bases++
		}
		n += checkAbroad(t, p, f, c.Value, depth+1, bases)
	}
	return n
}
