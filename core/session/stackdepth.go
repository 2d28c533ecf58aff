package session

import (
	"context"

	"pushmask/core/stackdepth"
	"pushmask/core/unwind"
)

// StackGraph measures the stack use of every function of the images and returns
// the call graph. The error is [ErrNoImage] or that of ctx.
func (p *Program) StackGraph(ctx context.Context) (*stackdepth.Graph, error) {
	if p.images.Empty() {
		return nil, ErrNoImage
	}
	return stackdepth.New(ctx, p.code, func(f unwind.Func) string { return p.extentName(f) })
}
