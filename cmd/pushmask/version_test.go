package main

import (
	"runtime/debug"
	"strings"
	"testing"
)

func TestVersionLine(t *testing.T) {
	t.Parallel()
	built := func(settings ...debug.BuildSetting) *debug.BuildInfo { return &debug.BuildInfo{Settings: settings} }
	revision := debug.BuildSetting{Key: "vcs.revision", Value: "0123456789abcdef"}
	tests := []struct {
		info *debug.BuildInfo
		want string
	}{
		{nil, "pushmask " + version + " "},
		{built(), "pushmask " + version + " "},
		{built(revision), "pushmask " + version + " 0123456789ab "},
		{built(revision, debug.BuildSetting{Key: "vcs.modified", Value: "true"}), "pushmask " + version + " 0123456789ab+changes "},
	}
	for _, tt := range tests {
		if got := versionLine(tt.info, tt.info != nil); !strings.HasPrefix(got, tt.want) {
			t.Errorf("got %q, want %q...", got, tt.want)
		}
	}
}
