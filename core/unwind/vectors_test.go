package unwind

import (
	"encoding/binary"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pushmask/core"
)

// TestVectorTable checks where a vector table ends: at code, at a word that is no
// handler, and at one that points into the table, which is of other data.
func TestVectorTable(t *testing.T) {
	t.Parallel()
	const top, code = 0x20001000, 0x100
	for name, c := range map[string]struct {
		words []uint32
		want  []int // numbers of vectors
	}{
		"plain":           {[]uint32{top, code | 1, code | 1, code | 1}, []int{1, 2, 3}},
		"empty ones":      {[]uint32{top, code | 1, 0, 0, code | 1}, []int{1, 4}},
		"small number":    {[]uint32{top, code | 1, code | 1, 0, 0, 1, code | 1}, []int{1, 2}},
		"into the table":  {[]uint32{top, code | 1, 9, code | 1}, []int{1}},
		"even":            {[]uint32{top, code | 1, code, code | 1}, []int{1}},
		"no code":         {[]uint32{top, code | 1, 0x40000001, code | 1}, []int{1}},
		"no reset":        {[]uint32{top, 0, code | 1}, nil},
		"stack in code":   {[]uint32{code, code | 1, code | 1}, nil},
		"stack unaligned": {[]uint32{top + 2, code | 1}, nil},
	} {
		data := make([]byte, code+16)
		for i, w := range c.words {
			binary.LittleEndian.PutUint32(data[4*i:], w)
		}
		e := extent{lo: 0, data: data}
		p := &Program{text: imageText{e}}
		table, _ := p.vectorTableAt(&e)
		var got []int
		for _, v := range table.list {
			got = append(got, v.number)
			if v.handler != core.Addr(code) {
				t.Errorf("%s: handler %v", name, v.handler)
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
