package main

import (
	"context"
	"fmt"

	"pushmask/core/session"
)

// localsOf returns the arguments and variables of the frames, for --locals.
func localsOf(ctx context.Context, s *session.Session, frames []session.Frame) ([][]*jsonValue, error) {
	list := make([][]*jsonValue, len(frames))
	for i := range frames {
		if frames[i].Kind == session.KindException {
			continue
		}
		f, err := s.InspectFrame(ctx, &frames[i])
		if err != nil {
			return nil, err
		}
		for _, v := range s.Inspect().Locals(f) {
			kind := "local"
			if v.Parameter {
				kind = "argument"
			}
			list[i] = append(list[i], &jsonValue{Name: v.Name, Kind: kind, Type: v.Value.Type.Name(), Value: v.Value.Text()})
		}
	}
	return list, nil
}

// locals writes the variables below the line of a frame.
func (t *textTrace) locals(list []*jsonValue) {
	for _, v := range list {
		fmt.Fprintf(t.w, "       %s = %s\n", v.Name, v.Value)
	}
}
