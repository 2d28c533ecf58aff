package session

import (
	"context"

	"pushmask/core/stackdepth"
	"pushmask/core/unwind"
)

// StackGraph measures the stack use of every function of the image and returns
// the call graph. It takes seconds for the largest images.
func (p *Program) StackGraph(ctx context.Context) (*stackdepth.Graph, error) {
	if p.image == nil {
		return nil, ErrNoImage
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return stackdepth.New(p.code, func(f unwind.Func) string { return p.extentName(f) }), nil
}
