package dap

import (
	"context"
	"fmt"

	"github.com/google/go-dap"
)

// modules lists the one firmware image.
func (a *adapter) modules(_ context.Context, req *dap.ModulesRequest) (*dap.ModulesResponse, error) {
	list := []dap.Module{a.module()}
	page := paged(list, req.Arguments.StartModule, req.Arguments.ModuleCount)
	return &dap.ModulesResponse{Body: dap.ModulesResponseBody{Modules: page, TotalModules: len(list)}}, nil
}

func (a *adapter) module() dap.Module {
	path := a.debuggee.program.Path()
	m := dap.Module{Id: moduleID, Name: baseName(path), Path: path, IsUserCode: true, SymbolStatus: "no symbols"}
	img := a.debuggee.program.Images().Main()
	switch {
	case img == nil:
		return m
	case img.HasDebug():
		m.SymbolStatus = "symbols and line information"
	case img.HasSymbols():
		m.SymbolStatus = "symbols, no line information"
	}
	if img.HasDebug() || img.HasSymbols() {
		m.SymbolFilePath = path
	}
	if id := img.BuildID(); len(id) > 0 {
		m.Version = fmt.Sprintf("build id %x", id)
	}
	for _, s := range img.Segments() {
		if s.Exec && s.MemSize > 0 {
			m.AddressRange = fmt.Sprintf("0x%08x-0x%08x", s.Addr, s.Addr+s.MemSize-1)
			break
		}
	}
	return m
}

// loadedSources lists the files that the line tables name, those that were
// not found on this machine with their recorded paths.
func (a *adapter) loadedSources(context.Context, *dap.LoadedSourcesRequest) (*dap.LoadedSourcesResponse, error) {
	sources := a.debuggee.program.Sources()
	list := make([]dap.Source, 0, len(sources))
	for _, s := range sources {
		src := a.sourceFile(a.debuggee, s.Path)
		if !s.Found {
			src.Origin = "not found on this machine"
		}
		list = append(list, *src)
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
