package main

import (
	"context"
	"iter"
	"runtime"
)

// inOrder does work for every input on all processors and hands the results over
// in the order of the inputs. An error of use ends it.
func inOrder[In, Out any](ctx context.Context, inputs iter.Seq[In], work func(context.Context, In) Out, use func(Out) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	workers := runtime.GOMAXPROCS(0)
	busy := make(chan struct{}, workers)
	pending := make(chan chan Out, 4*workers)
	go func() {
		defer close(pending)
		for in := range inputs {
			result := make(chan Out, 1)
			select {
			case pending <- result:
			case <-ctx.Done():
				return
			}
			busy <- struct{}{}
			go func() {
				result <- work(ctx, in)
				<-busy
			}()
		}
	}()
	for {
		select {
		case <-ctx.Done(): // the inputs may come from a stream that goes on
			return ctx.Err()
		case result, ok := <-pending:
			if !ok {
				return ctx.Err()
			}
			if err := use(<-result); err != nil {
				return err
			}
		}
	}
}
