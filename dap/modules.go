package dap

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/google/go-dap"

	"pushmask/core/session"
	"pushmask/elfsym"
)

// modules lists the ELFs of the program, and those of further targets.
func (a *adapter) modules(_ context.Context, req *dap.ModulesRequest) (*dap.ModulesResponse, error) {
	list := a.allModules()
	page := paged(list, req.Arguments.StartModule, req.Arguments.ModuleCount)
	return &dap.ModulesResponse{Body: dap.ModulesResponseBody{Modules: page, TotalModules: len(list)}}, nil
}

func (a *adapter) allModules() []dap.Module {
	list := []dap.Module{}
	for _, d := range a.debuggees() {
		for _, m := range d.program.Images().Images() {
			list = append(list, d.module(m))
		}
	}
	return list
}

// moduleID is the Module.id of an image: its number among those of the program,
// from 1, nil for none.
func (d *debuggee) moduleID(m *elfsym.Image) any {
	i := slices.Index(d.program.Images().Images(), m)
	if i < 0 {
		return nil
	}
	return d.number*idSpan + i + 1
}

// image returns the image with the code of a frame, nil where none has it.
func (d *debuggee) image(f *session.Frame) *elfsym.Image {
	set := d.program.Images()
	if f.Image == "" && len(set.Images()) == 1 {
		return set.Main()
	}
	m, _ := set.Named(f.Image)
	return m
}

// module describes an image.
func (d *debuggee) module(img *elfsym.Image) dap.Module {
	m := dap.Module{
		Id: d.moduleID(img), Name: d.program.Images().Name(img), Path: img.Path(),
		IsUserCode: true, SymbolStatus: symbolStatus(img), AddressRange: addressRanges(img),
	}
	if img.HasDebug() || img.HasSymbols() {
		m.SymbolFilePath = img.Path()
	}
	if id := img.BuildID(); len(id) > 0 {
		m.Version = fmt.Sprintf("build id %x", id)
	}
	return m
}

// symbolStatus says what an image has to tell.
func symbolStatus(img *elfsym.Image) string {
	switch {
	case img.HasDebug():
		return "symbols and line information"
	case img.HasSymbols():
		return "symbols, no line information"
	}
	return "no symbols"
}

// addressRanges lists the memory of an image's segments, last included, what
// touches in one.
func addressRanges(img *elfsym.Image) string {
	var list []string
	for _, r := range img.Extents() {
		list = append(list, fmt.Sprintf("0x%08x-0x%08x", r.Lo, r.Hi-1))
	}
	return strings.Join(list, ", ")
}

// tellModules tells the client of the modules after the answer to the request
// being run; before are those that it knows.
func (a *adapter) tellModules(before []dap.Module) {
	now := a.allModules()
	tell := func(reason string, m dap.Module) {
		a.later("module", &dap.ModuleEvent{Body: dap.ModuleEventBody{Reason: reason, Module: m}})
	}
	find := func(list []dap.Module, id any) int {
		return slices.IndexFunc(list, func(m dap.Module) bool { return m.Id == id })
	}
	for _, m := range before {
		if find(now, m.Id) < 0 {
			tell("removed", m)
		}
	}
	for _, m := range now {
		if i := find(before, m.Id); i < 0 {
			tell("new", m)
		} else if !reflect.DeepEqual(before[i], m) {
			tell("changed", m)
		}
	}
}

// loadedSources lists the files that the line tables name, those that were
// not found on this machine with their recorded paths.
func (a *adapter) loadedSources(context.Context, *dap.LoadedSourcesRequest) (*dap.LoadedSourcesResponse, error) {
	list := []dap.Source{}
	listed := make(map[string]bool)
	for _, d := range a.debuggees() {
		for _, s := range d.program.Sources() {
			if listed[s.Path] {
				continue
			}
			listed[s.Path] = true
			src := a.sourceFile(d, s.Path)
			if !s.Found {
				src.Origin = "not found on this machine"
			}
			list = append(list, *src)
		}
	}
	return &dap.LoadedSourcesResponse{Body: dap.LoadedSourcesResponseBody{Sources: list}}, nil
}

// paged returns count elements from start on; all of them where count is 0.
func paged[T any](list []T, start, count int) []T {
	start = min(max(start, 0), len(list))
	list = list[start:]
	if count > 0 && count < len(list) {
		list = list[:count]
	}
	return list
}
