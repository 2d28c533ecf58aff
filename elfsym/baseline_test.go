package elfsym

import "testing"

// TestBaseline tells the two instruction sets of M-profile by Tag_CPU_arch.
func TestBaseline(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name            string
		attributes      buildAttributes
		baseline, known bool
	}{
		{"none", buildAttributes{}, false, false},
		{"v6-M", buildAttributes{hasArch: true, arch: 11}, true, true},
		{"v6S-M", buildAttributes{hasArch: true, arch: 12}, true, true},
		{"v7", buildAttributes{hasArch: true, arch: archV7}, false, true},
		{"v7E-M", buildAttributes{hasArch: true, arch: 13}, false, true},
		{"v8-M.baseline", buildAttributes{hasArch: true, arch: 16}, true, true},
		{"v8-M.mainline", buildAttributes{hasArch: true, arch: 17}, false, true},
		{"no such", buildAttributes{hasArch: true, arch: 200}, false, false},
	} {
		baseline, known := (&Image{attributes: tt.attributes}).Baseline()
		if baseline != tt.baseline || known != tt.known {
			t.Errorf("%s: %v, known %v", tt.name, baseline, known)
		}
	}
}
