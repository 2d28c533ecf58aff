package elfsym

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// attributes builds a section with one file-scope list.
func attributes(list ...byte) []byte {
	sub := append([]byte{tagFile, byte(5 + len(list)), 0, 0, 0}, list...)
	return append([]byte{'A', byte(4 + 6 + len(sub)), 0, 0, 0, 'a', 'e', 'a', 'b', 'i', 0}, sub...)
}

func TestParseAttributes(t *testing.T) {
	t.Parallel()
	cortexM4 := []byte{4, 'r', 'a', 'w', 0, 5, '7', 'E', '-', 'M', 0, 6, 13, 7, 'M', 8, 0, 9, 2, 10, 6}
	otherVendor := []byte{13, 0, 0, 0, 'g', 'n', 'u', 0, 1, 5, 0, 0, 0}
	sectionScope := []byte{2, 9, 0, 0, 0, 1, 0, 7, 'A'}
	withSection := attributes(7, 'M')
	withSection = append(withSection, sectionScope...)
	withSection[1] += byte(len(sectionScope))
	for _, tt := range []struct {
		name string
		in   []byte
		want buildAttributes
		bad  bool
	}{
		{"cortex-m4", attributes(cortexM4...), buildAttributes{arch: 13, hasArch: true, profile: 'M'}, false},
		{"other vendor first", append([]byte{'A'}, append(otherVendor, attributes(6, 14, 7, 'A')[1:]...)...),
			buildAttributes{arch: 14, hasArch: true, profile: 'A'}, false},
		{"section scope is ignored", withSection, buildAttributes{profile: 'M'}, false},
		// 32 has both values, odd tags from 33 on are strings, even ones numbers.
		{"unknown tags", attributes(32, 1, 'x', 0, 65, 6, 11, 0, 68, 0x81, 1, 6, 11), buildAttributes{arch: 11, hasArch: true}, false},
		{"alternative half floats", attributes(38, 2), buildAttributes{half: alternativeHalf}, false},
		{"empty", attributes(), buildAttributes{}, false},
		{"no data", nil, buildAttributes{}, true},
		{"other version", []byte{'B'}, buildAttributes{}, true},
		{"cut", attributes(cortexM4...)[:30], buildAttributes{}, true},
		{"cut value", attributes(7, 'M', 6), buildAttributes{profile: 'M'}, true},
		{"short length", []byte{'A', 3, 0, 0, 0}, buildAttributes{}, true},
		{"short list", []byte{'A', 15, 0, 0, 0, 'a', 'e', 'a', 'b', 'i', 0, 1, 4, 0, 0, 0}, buildAttributes{}, true},
	} {
		got, err := parseAttributes(tt.in)
		if d := cmp.Diff(tt.want, got, cmp.AllowUnexported(buildAttributes{})); d != "" {
			t.Errorf("%s: %s", tt.name, d)
		}
		if tt.bad != (err != nil) {
			t.Errorf("%s: error %v", tt.name, err)
		}
	}
}

func TestAttributesProfile(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		a        buildAttributes
		m, known bool
	}{
		{buildAttributes{profile: 'M'}, true, true},
		{buildAttributes{profile: 'R', arch: 10, hasArch: true}, false, true},
		{buildAttributes{profile: 'S'}, false, true},
		{buildAttributes{arch: 11, hasArch: true}, true, true},  // v6-M
		{buildAttributes{arch: 21, hasArch: true}, true, true},  // v8.1-M.mainline
		{buildAttributes{arch: 9, hasArch: true}, false, true},  // v6K
		{buildAttributes{arch: 14, hasArch: true}, false, true}, // v8-A
		{buildAttributes{arch: 10, hasArch: true}, false, false},
		{buildAttributes{arch: 1 << 40, hasArch: true}, false, false},
		{buildAttributes{}, false, false},
	} {
		if m, known := tt.a.mProfile(); m != tt.m || known != tt.known {
			t.Errorf("%+v: %v, %v", tt.a, m, known)
		}
	}
}

func FuzzAttributes(f *testing.F) {
	f.Add(attributes(5, 'x', 0, 6, 13, 7, 'M', 65, 0))
	f.Add([]byte{'A', 4, 0, 0, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		a, err := parseAttributes(b)
		if err == nil && len(b) < 1 || a.hasArch && len(b) < 12 {
			t.Errorf("% x gives %+v, %v", b, a, err)
		}
	})
}
