// Package oracle makes ground truth for the unwinder: it builds firmware of
// nasty shapes, runs it in QEMU, single-steps it with a shadow call stack, and
// hands out stopped machines with their true stacks. It shares no code with
// the unwinder: instructions are classified here on their own, by what they
// did to PC, SP and LR. It is for tests alone.
package oracle

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Compilers.
const (
	gcc     = "arm-none-eabi-gcc"
	gxx     = "arm-none-eabi-g++"
	Clang16 = "clang-16"
	Clang19 = "clang-19"
	// newlib is where Debian keeps newlib's headers, which clang has to be told.
	newlib = "/usr/include/newlib"
)

// Firmware is one way to build the sources in testdata/oracle.
type Firmware struct {
	Name    string
	Machine string // of QEMU
	CPU     string // of QEMU; "" for the machine's own
	Script  string // linker script in board/
	Clang   string // compile with this clang, still link with gcc; "" for gcc
	Target  string // options of both compilers that choose the core, space separated
	Options string // more options, space separated
	Compile string // options that the linker does not know, space separated
	// ARM lists sources that are compiled with -marm, as "calls.c".
	ARM []string
	// CPlusPlus builds the C++ program instead of the C program.
	CPlusPlus bool
	// Switch builds the kernel with threads instead, with this source of its
	// context switch, as "on_stack.S".
	Switch string
	// Modes runs the program in System mode, with exceptions of A-profile.
	Modes bool
	// Assembly builds the hand-written assembly instead of the C program.
	Assembly bool
	// FullLibrary links newlib as it is instead of its small variant.
	FullLibrary bool
	// TrustZone builds a secure image and a non-secure one, in one ELF.
	TrustZone bool
}

var (
	boardSources = []string{"board/startup.c", "shapes/main.c", "shapes/calls.c", "shapes/interrupts.c"}
	cSources     = []string{
		"shapes/frames.c", "shapes/arithmetic.c", "shapes/library.c", "shapes/jumps.c",
		"shapes/tables.c", "shapes/handwritten.c",
	}
	modeSources   = []string{"shapes/exceptions.c"}
	cppSources    = []string{"shapes/cplusplus.cpp"}
	kernelSources = []string{
		"board/startup.c", "kernel/main.c", "kernel/kernel.c",
		"shapes/calls.c", "shapes/frames.c", "shapes/arithmetic.c",
	}
	assemblySources = []string{
		"shapes/assembly.c", "assembly/narrow.S", "assembly/wide.S", "assembly/arm.S", "assembly/interwork.S",
	}
	trustZoneSources = []string{"board/startup.c", "trustzone/secure.c", "trustzone/divide.c", nonSecureImage}
	// referenced are sources whose functions the library or assembly names,
	// which link-time optimisation does not see.
	referenced = []string{"board/startup.c", "shapes/handwritten.c"}
)

// nonSecureImage is all that runs in non-secure state.
const nonSecureImage = "trustzone/nsimage.c"

// ErrNoCompiler is what errors.Is finds when a compiler is not installed.
var ErrNoCompiler = errors.New("the compiler is not installed")

// Build compiles the sources below src into dir and returns the path of the
// ELF.
func (f Firmware) Build(ctx context.Context, src, dir string) (string, error) {
	sources := slices.Concat(boardSources, cSources)
	switch {
	case f.CPlusPlus:
		sources = slices.Concat(boardSources, cppSources)
	case f.Assembly:
		sources = slices.Concat(boardSources, assemblySources)
	case f.Switch != "":
		sources = slices.Concat(kernelSources, []string{"kernel/" + f.Switch})
	case f.TrustZone:
		sources = trustZoneSources
	}
	if f.Modes {
		sources = append(sources, modeSources...)
	}
	var objects []string
	for _, s := range sources {
		object := filepath.Join(dir, f.Name+"-"+filepath.Base(s)+".o")
		if err := f.compile(ctx, src, s, object); err != nil {
			return "", err
		}
		objects = append(objects, object)
	}
	elf := filepath.Join(dir, f.Name+".elf")
	args := slices.Concat(strings.Fields(f.Target), strings.Fields(f.Options), objects, []string{
		"-nostartfiles", "-Wl,--gc-sections,--no-warn-rwx-segments", "-Lboard", "-Tboard/" + f.Script, "-lm", "-o", elf,
	})
	if !f.FullLibrary {
		args = append(args, "--specs=nano.specs")
	}
	linker := gcc
	if f.CPlusPlus {
		linker = gxx
	}
	if f.TrustZone {
		gates, err := gateways(ctx, src, elf, args)
		if err != nil {
			return "", err
		}
		args = append(args, gates...)
	}
	return elf, run(ctx, src, linker, args...)
}

// gateways links a first time to learn where the linker puts the secure
// gateways, and returns the options that tell the non-secure image: gate_X for
// each entry X (ACLE, "Cortex-M Security Extensions").
func gateways(ctx context.Context, src, elf string, args []string) ([]string, error) {
	if err := run(ctx, src, gcc, append(slices.Clone(args), "-Wl,--unresolved-symbols=ignore-all")...); err != nil {
		return nil, err
	}
	p, err := readProgram(Loaded{ELF: elf})
	if err != nil {
		return nil, err
	}
	var options []string
	for symbol := range p.symbols {
		if name, ok := strings.CutPrefix(symbol, "__acle_se_"); ok {
			options = append(options, fmt.Sprintf("-Wl,--defsym=gate_%s=%#x", name, p.symbols[name]))
		}
	}
	return options, nil
}

// compile makes one object.
func (f Firmware) compile(ctx context.Context, src, source, object string) error {
	compiler := gcc
	args := strings.Fields("-g -ffunction-sections -fdata-sections -w -Ishapes -Ikernel")
	args = slices.Concat(args, strings.Fields(f.Target), strings.Fields(f.Options), strings.Fields(f.Compile))
	switch {
	case f.Clang != "":
		compiler = f.Clang
		args = append(args, "--target=arm-none-eabi", "-fshort-enums", "-isystem", newlib)
	case filepath.Ext(source) == ".cpp":
		compiler = gxx
	default:
		args = append(args, "-masm-syntax-unified")
	}
	switch {
	case f.CPlusPlus:
		args = append(args, "-DCPLUSPLUS")
	case f.Assembly:
		args = append(args, "-DASSEMBLY")
	}
	switch {
	case source == nonSecureImage:
		args = append(args, "-ffreestanding")
	case f.TrustZone:
		args = append(args, "-mcmse")
	case f.Modes:
		args = append(args, "-DMODES")
	}
	if slices.Contains(referenced, source) {
		args = append(args, "-fno-lto")
	}
	if slices.Contains(f.ARM, filepath.Base(source)) || f.Modes && slices.Contains(modeSources, source) {
		args = append(args, "-marm")
	}
	return run(ctx, src, compiler, append(args, "-c", source, "-o", object)...)
}

// run executes a tool in dir; its output is part of the error.
func run(ctx context.Context, dir, tool string, args ...string) error {
	cmd := exec.CommandContext(ctx, tool, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return fmt.Errorf("run %s: %w", tool, ErrNoCompiler)
	case err != nil:
		return fmt.Errorf("run %s %s: %w\n%s", tool, strings.Join(args, " "), err, out)
	}
	return nil
}
