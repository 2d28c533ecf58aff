package dap

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"pushmask/core/session"
)

// launchConfig is a launch configuration as far as pushmask uses it.
type launchConfig struct {
	executable string
	coreFile   string
	// images are the ELFs of the program and where they lie, the one that counts
	// most first.
	images    []session.ImageFile
	cwd       string
	rules     []session.PathRule // of substitutePath, in its order
	sourceMap map[string]string  // sourceFileMap
	svdFile   string
	trace     bool
	dumpParts
	liveParts

	unknown []string // attributes that nobody knows, sorted
}

// sessionConfig is the configuration for core/session.
func (c *launchConfig) sessionConfig() session.Config {
	rules := slices.Concat(c.rules, session.RulesFromMap(c.sourceMap), c.pathRules())
	svd, _ := c.description()
	return withImages(session.Config{Cwd: c.cwd, SourceMap: rules, Workspace: c.cwd, SVD: svd}, c.images)
}

// setter reads an attribute.
type setter func(c *launchConfig, name string, raw json.RawMessage) error

// attributes lists the attributes that have an effect on a dump. The names other than
// executable and coreFile are those of cppdbg (program, coreDumpPath,
// sourceFileMap), Delve (coreFilePath, substitutePath) and Cortex-Debug (cwd,
// svdFile, svdPath).
var attributes = map[string]setter{
	"executable":     setPath(func(c *launchConfig) *string { return &c.executable }),
	"program":        setPath(func(c *launchConfig) *string { return &c.executable }),
	"coreFile":       setPath(func(c *launchConfig) *string { return &c.coreFile }),
	"coreDumpPath":   setPath(func(c *launchConfig) *string { return &c.coreFile }),
	"coreFilePath":   setPath(func(c *launchConfig) *string { return &c.coreFile }),
	"svdFile":        setPath(func(c *launchConfig) *string { return &c.svdFile }),
	"svdPath":        setPath(func(c *launchConfig) *string { return &c.svdFile }),
	"cwd":            setPath(func(c *launchConfig) *string { return &c.cwd }),
	"sourceFileMap":  setSourceFileMap,
	"substitutePath": setSubstitutePath,
	"trace":          setTrace,
	"crash":          setCrash,
	"coreFileBase":   setBase,
	"with":           setWith,
	"registers":      setRegisters,
}

// parseConfig reads the arguments of the request launch or attach. Attributes
// of an object named after this operating system ("windows", "osx", "linux")
// override those outside of it.
func parseConfig(request string, raw json.RawMessage) (launchConfig, error) {
	var c launchConfig
	c.request = request
	given := map[string]json.RawMessage{}
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &given); err != nil {
			return c, failf(errConfig, "the launch configuration is not an object: %w", err)
		}
	}
	if err := applyPlatform(given); err != nil {
		return c, err
	}
	c.given = given
	for _, name := range sortedKeys(given) {
		set, ok := attributes[name]
		if !ok {
			set, ok = liveAttributes[name]
		}
		switch {
		case string(given[name]) == "null":
		case ok:
			if err := set(&c, name, given[name]); err != nil {
				return c, err
			}
		case !ignored(name):
			c.unknown = append(c.unknown, name)
		}
	}
	return c, c.check()
}

func applyPlatform(given map[string]json.RawMessage) error {
	name := runtime.GOOS
	if name == "darwin" {
		name = "osx"
	}
	raw, ok := given[name]
	if !ok {
		return nil
	}
	if err := json.Unmarshal(raw, &given); err != nil {
		return wrongType(name, "an object of attributes")
	}
	return nil
}

// check resolves the paths and makes sure that the files are there.
func (c *launchConfig) check() error {
	if c.executable == "" && len(c.symbolFiles) == 0 {
		return failf(errConfig, `no firmware image is given: set "executable" (or "program") to the ELF file of the firmware`)
	}
	if err := c.checkTarget(); err != nil {
		return err
	}
	if c.cwd != "" {
		abs, err := filepath.Abs(c.cwd)
		if err != nil {
			return failf(errConfig, `"cwd" %q cannot be resolved: %w`, c.cwd, err)
		}
		c.cwd = abs
	}
	if err := c.checkImages(); err != nil {
		return err
	}
	if c.coreFile == "" {
		return c.checkLive()
	}
	if err := c.splitAddress(); err != nil {
		return err
	}
	if err := c.checkFile(quote("coreFile"), &c.coreFile); err != nil {
		return err
	}
	return c.checkWith()
}

// checkFile makes path absolute and reports a file that is not there. What label
// names in the error is where the configuration gives it.
func (c *launchConfig) checkFile(label string, path *string) error {
	given := *path
	abs, err := filepath.Abs(c.fromCwd(given))
	if err != nil {
		return failf(errFile, "%s: %q cannot be resolved: %w", label, given, err)
	}
	*path = abs
	info, err := os.Stat(abs)
	switch {
	case os.IsNotExist(err) && strings.Contains(given, "${"):
		return failf(errFile, "%s: the editor did not replace the variable in %q: give a plain path", label, given)
	case os.IsNotExist(err):
		return failf(errFile, `%s: there is no file %s: correct the path; a relative one starts at "cwd"`, label, abs)
	case err != nil:
		return failf(errFile, "%s: %s cannot be used: %w", label, abs, err)
	case info.IsDir():
		return failf(errFile, "%s: %s is a folder: give the file in it", label, abs)
	}
	return nil
}

// setPath makes the setter of a path that may have several names. Two names
// that disagree are an error, since either could be the one that is meant.
func setPath(field func(*launchConfig) *string) setter {
	return func(c *launchConfig, name string, raw json.RawMessage) error {
		var path string
		if err := json.Unmarshal(raw, &path); err != nil {
			return wrongType(name, "a path in quotes")
		}
		f := field(c)
		if *f != "" && path != "" && *f != path {
			return failf(errConfig, "%q is %q, but another name for the same attribute says %q: give one of them", name, path, *f)
		}
		if path != "" {
			*f = path
		}
		return nil
	}
}

// setSourceFileMap reads the object form: recorded prefix to local prefix, or
// to an object with the local prefix in "editorPath".
func setSourceFileMap(c *launchConfig, name string, raw json.RawMessage) error {
	var entries map[string]json.RawMessage
	if err := json.Unmarshal(raw, &entries); err != nil {
		return wrongType(name, `an object like {"/build/src": "${workspaceFolder}/src"}`)
	}
	c.sourceMap = make(map[string]string, len(entries))
	for _, from := range sortedKeys(entries) {
		var to string
		if json.Unmarshal(entries[from], &to) != nil {
			var long struct{ EditorPath string }
			if json.Unmarshal(entries[from], &long) != nil || long.EditorPath == "" {
				return wrongType(fmt.Sprintf("%s[%q]", name, from), "a path in quotes")
			}
			to = long.EditorPath
		}
		c.sourceMap[from] = to
	}
	return nil
}

// setSubstitutePath reads the list form: objects with "from" (recorded
// prefix) and "to" (local prefix).
func setSubstitutePath(c *launchConfig, name string, raw json.RawMessage) error {
	var entries []struct{ From, To *string }
	if err := json.Unmarshal(raw, &entries); err != nil {
		return wrongType(name, `a list like [{"from": "/build/src", "to": "${workspaceFolder}/src"}]`)
	}
	for i, e := range entries {
		if e.From == nil || e.To == nil {
			return failf(errConfig, `%q: entry %d lacks "from" or "to"`, name, i+1)
		}
		c.rules = append(c.rules, session.PathRule{From: *e.From, To: *e.To})
	}
	return nil
}

// setTrace accepts true, false, and any word other than "off", as adapters
// with levels of tracing do.
func setTrace(c *launchConfig, name string, raw json.RawMessage) error {
	var level string
	if json.Unmarshal(raw, &c.trace) == nil {
		return nil
	}
	if json.Unmarshal(raw, &level) != nil {
		return wrongType(name, "true or false")
	}
	c.trace = level != "" && level != "off"
	return nil
}

func wrongType(name, want string) error {
	return failf(errConfig, "%q has the wrong type: give %s", name, want)
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
