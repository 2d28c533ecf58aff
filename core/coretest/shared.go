// Package coretest holds test doubles and writers for the packages below core.
package coretest

import (
	"os"
	"path/filepath"
	"testing"
)

// Shared returns the path of a file below the folder "shared" that lies
// beside the checkout, and skips the test where there is none.
func Shared(t testing.TB, elem ...string) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		up := filepath.Dir(dir)
		if up == dir {
			t.Skip("no checkout found above the test's folder")
		}
		dir = up
	}
	path := filepath.Join(append([]string{filepath.Dir(dir), "shared"}, elem...)...)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("shared test data is absent: %s", filepath.Join(elem...))
	}
	return path
}
