package dap

import (
	"context"
	"fmt"

	"github.com/google/go-dap"

	"pushmask/core"
	"pushmask/core/session"
)

// maxInstructions bounds one disassemble request, in either direction: its
// answer still fits the 4 MiB that go-dap's reader accepts.
const maxInstructions = 1 << 13

// disassembleResponse is go-dap's with a field that its schema lacks.
type disassembleResponse struct {
	dap.Response
	Body disassembleBody `json:"body"`
}

type disassembleBody struct {
	Instructions []instruction `json:"instructions"`
}

// instruction is a DisassembledInstruction of DAP 1.63, with "normal" or
// "invalid" as the hint.
type instruction struct {
	dap.DisassembledInstruction
	PresentationHint string `json:"presentationHint,omitempty"`
}

func (a *adapter) disassemble(ctx context.Context, req *dap.DisassembleRequest) (*disassembleResponse, error) {
	args := req.Arguments
	addr, err := parseReference(args.MemoryReference, args.Offset)
	if err != nil {
		return nil, err
	}
	count, offset := args.InstructionCount, args.InstructionOffset
	if count < 0 || count > maxInstructions || offset < -maxInstructions || offset > maxInstructions {
		return nil, failf(errArgument, `"disassemble": instructionCount %d or instructionOffset %d is beyond %d: ask for smaller pieces`,
			count, offset, maxInstructions)
	}
	d := a.focused()
	lines, err := d.session.Disassemble(ctx, addr, offset, count)
	if err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		return nil, failf(errDisassemble, "%v cannot be disassembled: %w", addr, err)
	}
	resp := &disassembleResponse{Body: disassembleBody{Instructions: make([]instruction, 0, len(lines))}}
	var file string
	for i, x := range lines {
		in := a.instruction(x, args.ResolveSymbols)
		in.Address = unwrapped(x.Addr, addr, offset+i)
		if x.File != "" && d.hasFile(x.File) {
			in.Line = a.client.line(x.SrcLine)
			if x.File != file {
				file = x.File
				in.Location = a.sourceFile(d, file)
			}
		}
		resp.Body.Instructions = append(resp.Body.Instructions, in)
	}
	return resp, nil
}

// unwrapped writes the address of the place that lies steps places after addr,
// or before it when negative, as a number that grows with steps: signed and
// decimal below 0, with a ninth digit above 0xffffffff. VS Code orders places
// by their addresses and finds addr among them by bisection: addresses that
// wrap make it show other code and no mark at the PC.
func unwrapped(at, addr core.Addr, steps int) string {
	switch {
	case steps < 0 && at > addr:
		return fmt.Sprintf("-%d", uint32(-at))
	case steps > 0 && at < addr:
		return fmt.Sprintf("0x1%08x", uint32(at))
	}
	return at.String()
}

func (a *adapter) instruction(x session.Line, symbols bool) instruction {
	in := instruction{DisassembledInstruction: dap.DisassembledInstruction{
		InstructionBytes: hexBytes(x.Bytes),
		Instruction:      placeText(x),
	}}
	if symbols {
		in.Symbol = x.Symbol
	}
	if x.Invalid {
		in.PresentationHint = "invalid"
	}
	return in
}
