// Command notices writes THIRD_PARTY_NOTICES: the licences of every module
// linked into the command and of every package bundled into the extension,
// read from the module cache and from node_modules. With -check it only
// compares, and fails when the file is not current.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

const (
	root = ".."
	file = "THIRD_PARTY_NOTICES"
)

// component is something that is shipped and was written by others.
type component struct {
	name, version string
	dir           string // where its licence files lie
}

func main() {
	check := flag.Bool("check", false, "compare with the file instead of writing it")
	flag.Parse()
	if err := run(*check); err != nil {
		fmt.Fprintln(os.Stderr, "notices:", err)
		os.Exit(1)
	}
}

func run(check bool) error {
	modules, err := goModules()
	if err != nil {
		return err
	}
	packages, err := npmPackages()
	if err != nil {
		return err
	}
	text, err := render(slices.Concat(modules, packages))
	if err != nil {
		return err
	}
	path := filepath.Join(root, file)
	if !check {
		return os.WriteFile(path, text, 0o644)
	}
	old, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if !bytes.Equal(old, text) {
		return errors.New(file + " is not current; run make notices")
	}
	return nil
}

// goModules lists the modules linked into the command on any platform that
// it is shipped for, and Go itself, whose runtime and library are linked too.
func goModules() ([]component, error) {
	found := map[string]component{}
	for _, goos := range []string{"linux", "darwin", "windows"} {
		cmd := exec.Command("go", "list", "-deps", "-json=Module", "./cmd/pushmask")
		cmd.Dir = root
		cmd.Env = append(os.Environ(), "GOOS="+goos, "CGO_ENABLED=0")
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		if err := addModules(found, out); err != nil {
			return nil, err
		}
	}
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("go env GOROOT: %w", err)
	}
	list := []component{{name: "Go standard library and runtime", dir: strings.TrimSpace(string(goroot))}}
	for _, c := range found {
		list = append(list, c)
	}
	return sorted(list), nil
}

func addModules(found map[string]component, listing []byte) error {
	for d := json.NewDecoder(bytes.NewReader(listing)); ; {
		var pkg struct {
			Module *struct {
				Path, Version, Dir string
				Main               bool
			}
		}
		err := d.Decode(&pkg)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("decode go list: %w", err)
		}
		if m := pkg.Module; m != nil && !m.Main {
			found[m.Path] = component{name: m.Path, version: m.Version, dir: m.Dir}
		}
	}
}

// npmPackages lists the packages that package-lock.json does not mark as
// needed for development only: those are bundled into the extension.
func npmPackages() ([]component, error) {
	b, err := os.ReadFile(filepath.Join(root, "package-lock.json"))
	if err != nil {
		return nil, err
	}
	var lock struct {
		Packages map[string]struct {
			Version   string
			Dev, Link bool
		}
	}
	if err := json.Unmarshal(b, &lock); err != nil {
		return nil, fmt.Errorf("decode package-lock.json: %w", err)
	}
	var list []component
	for path, p := range lock.Packages {
		_, name, installed := cutLast(path, "node_modules/")
		if installed && !p.Dev && !p.Link {
			list = append(list, component{name: name, version: p.Version, dir: filepath.Join(root, filepath.FromSlash(path))})
		}
	}
	return sorted(list), nil
}

func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

func sorted(list []component) []component {
	slices.SortFunc(list, func(a, b component) int { return strings.Compare(a.name, b.name) })
	return list
}

func render(list []component) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("pushmask contains the following software of others. This file is made by\n\"make notices\".\n")
	for _, c := range list {
		texts, err := licences(c.dir)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.name, err)
		}
		fmt.Fprintf(&b, "\n%s\n%s\n\n", strings.Repeat("=", 78), strings.TrimSpace(c.name+" "+c.version))
		b.Write(texts)
	}
	return b.Bytes(), nil
}

// licences joins the licence and notice files of a folder.
func licences(dir string) ([]byte, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var texts [][]byte
	for _, e := range entries {
		name := strings.ToUpper(e.Name())
		if e.IsDir() || !strings.HasPrefix(name, "LICEN") && !strings.HasPrefix(name, "NOTICE") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
		texts = append(texts, append(bytes.TrimSpace(text), '\n'))
	}
	if len(texts) == 0 {
		return nil, fmt.Errorf("no licence file in %s", dir)
	}
	return bytes.Join(texts, []byte("\n")), nil
}
