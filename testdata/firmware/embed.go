// Package firmware holds the crash that "pushmask demo" shows: the firmware
// and its dump, and the sources that the firmware was built from.
package firmware

import (
	"embed"
	"io/fs"
)

// The files of the demo below [Demo].
const (
	DemoImage = "demo/fw.elf"
	DemoDump  = "demo/crash.core"
	// SourceRoot is the folder that the image's debug information has the
	// sources in; the root of Demo stands for it.
	SourceRoot = "/firmware"
)

//go:embed app board demo/fw.elf demo/crash.core
var files embed.FS

// Demo returns the files of the demo.
func Demo() fs.FS { return files }
