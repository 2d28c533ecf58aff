package dap

import (
	"context"
	"encoding/base64"
	"strconv"
	"strings"

	"github.com/google/go-dap"

	"pushmask/core"
)

// maxRead is the most that one readMemory may ask for: its answer still fits
// the 4 MiB that go-dap's reader accepts.
const maxRead = 2 << 20

// readMemoryResponse is go-dap's with data that is there when it is empty: extensions
// decode it without a look (mcu-debug.memory-view, mcu-debug.rtos-views).
type readMemoryResponse struct {
	dap.Response
	Body readMemoryBody `json:"body"`
}

type readMemoryBody struct {
	Address         string `json:"address"`
	UnreadableBytes int    `json:"unreadableBytes,omitempty"`
	Data            string `json:"data"`
}

// readMemory reads what exists. All from the first hole on counts as
// unreadable, even where memory goes on behind the hole: clients show data
// and unreadableBytes as one range of exactly the size they asked for and
// fill up what is missing with zeros.
func (a *adapter) readMemory(ctx context.Context, req *dap.ReadMemoryRequest) (*readMemoryResponse, error) {
	args := req.Arguments
	addr, err := parseReference(args.MemoryReference, args.Offset)
	if err != nil {
		return nil, err
	}
	data, err := a.readBytes(ctx, a.focused(), addr, args.Count)
	if err != nil {
		return nil, err
	}
	return &readMemoryResponse{Body: readMemoryBody{
		Address:         addr.String(),
		Data:            base64.StdEncoding.EncodeToString(data),
		UnreadableBytes: args.Count - len(data),
	}}, nil
}

// readBytes reads memory up to the first hole. That of a running target is read
// over a second connection, where there is one.
func (a *adapter) readBytes(ctx context.Context, d *debuggee, addr core.Addr, count int) ([]byte, error) {
	if count < 0 || count > maxRead {
		return nil, failf(errArgument, `"readMemory": count %d is not between 0 and %d: read in smaller pieces`, count, maxRead)
	}
	data := make([]byte, count)
	var n int
	var err error
	switch notHalted := d.halted(); {
	case notHalted == nil:
		n, err = d.session.Memory().ReadAt(addr, data)
	case d.live.watch != nil:
		n, err = d.live.watch.ReadMemory(ctx, addr, data)
	default:
		return nil, notHalted
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		a.log.Debug("read memory", "address", addr.String(), "count", count, "read", n, "error", err)
	}
	return data[:n], nil
}

// parseReference resolves a memoryReference, a number in decimal or after 0x
// in hexadecimal, with a byte offset.
func parseReference(ref string, offset int) (core.Addr, error) {
	base, err := strconv.ParseUint(strings.TrimSpace(ref), 0, 32)
	if err != nil {
		return 0, failf(errArgument, "%q is no memory reference: give an address below 2^32 such as 0x20000000", ref)
	}
	addr := int64(base) + int64(offset)
	if addr < 0 || addr > 1<<32-1 {
		return 0, failf(errArgument, "%s with the offset %d is outside of the 32-bit address space", ref, offset)
	}
	return core.Addr(addr), nil
}
