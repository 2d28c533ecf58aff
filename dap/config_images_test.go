package dap

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pushmask/core/session"
)

// TestConfigImages chooses the ELFs of a program and finds their places, for
// dumps and for live targets. The demo has .text at 0 and .data at 0x20000000.
func TestConfigImages(t *testing.T) {
	t.Parallel()
	image, other := demoImage(t), fixture(t, "nested", "fw.elf")
	type images = []session.ImageFile
	for _, test := range []struct {
		name, json string
		want       images
	}{
		{"executable", `"executable":"demo/fw.elf"`, images{{Path: image}}},
		{"no symbol files", `"executable":"demo/fw.elf","symbolFiles":[]`, images{{Path: image}}},
		{"symbol files instead", `"executable":"demo/fw.elf","symbolFiles":["nested/fw.elf"]`, images{{Path: other}}},
		{"symbol files alone", `"symbolFiles":["nested/fw.elf","demo/fw.elf"]`, images{{Path: other}, {Path: image}}},
		{"moved by numbers", `"symbolFiles":[{"file":"demo/fw.elf","offset":4096}]`, images{{Path: image, Bias: 0x1000}}},
		{"moved by texts", `"symbolFiles":["nested/fw.elf",{"file":"demo/fw.elf","offset":"0xfffff000"}]`,
			images{{Path: other}, {Path: image, Bias: 0xfffff000}}},
		{"moved down", `"symbolFiles":[{"file":"nested/fw.elf","offset":-4096},{"file":"demo/fw.elf","offset":"-0x1000"}]`,
			images{{Path: other, Bias: 0xfffff000}, {Path: image, Bias: 0xfffff000}}},
		{"text", `"symbolFiles":[{"file":"demo/fw.elf","textaddress":"0x8000"}]`, images{{Path: image, Bias: 0x8000}}},
		{"text at 0", `"symbolFiles":[{"file":"demo/fw.elf","textaddress":0,"offset":""}]`, images{{Path: image}}},
		{"sections", `"symbolFiles":[{"file":"demo/fw.elf","sections":[{"name":".data","address":"0x20000100"},{"name":".text","address":256}]}]`,
			images{{Path: image, Bias: 0x100}}},
		{"nothing said", `"symbolFiles":[{"file":"demo/fw.elf","offset":null,"textaddress":"","sections":[]}]`, images{{Path: image}}},
	} {
		for _, what := range []string{`"coreFile":"demo/crash.core"`, `"gdbTarget":"localhost:3333"`} {
			got, err := parseConfig("launch", []byte(`{"cwd":`+quoted(fixture(t))+`,`+what+`,`+test.json+`}`))
			if err != nil {
				t.Errorf("%s: %v", test.name, err)
				continue
			}
			if diff := cmp.Diff(test.want, got.images); diff != "" {
				t.Errorf("%s (-want +got):\n%s", test.name, diff)
			}
			sc := got.sessionConfig()
			if diff := cmp.Diff(test.want, append(images{{Path: sc.Image, Bias: sc.Bias}}, sc.More...)); diff != "" {
				t.Errorf("%s, for the session (-want +got):\n%s", test.name, diff)
			}
		}
	}
}

// TestConfigTargetImages gives further targets ELFs of their own.
func TestConfigTargetImages(t *testing.T) {
	t.Parallel()
	image, other := demoImage(t), fixture(t, "nested", "fw.elf")
	c, err := parseConfig("launch", []byte(`{"cwd":`+quoted(fixture(t))+`,"executable":"demo/fw.elf","gdbTarget":"localhost:1","targets":[
		{"gdbTarget":"localhost:2"},
		{"gdbTarget":"localhost:3","executable":"nested/fw.elf"},
		{"gdbTarget":"localhost:4","executable":"nested/fw.elf","symbolFiles":["demo/fw.elf",{"file":"nested/fw.elf","offset":"0x8000"}]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	want := [][]session.ImageFile{nil, {{Path: other}}, {{Path: image}, {Path: other, Bias: 0x8000}}}
	for i := range c.targets {
		if diff := cmp.Diff(want[i], c.targets[i].images); diff != "" {
			t.Errorf("target %d (-want +got):\n%s", i+1, diff)
		}
	}
	if label := c.nameOf(filepath.Join(fixture(t), "nested", "fw.elf")); label != `"targets": entry 2: "executable"` {
		t.Errorf("the second ELF is named by %s", label)
	}
}
