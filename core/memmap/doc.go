// Package memmap joins memory of several sources into one view: later regions win.
package memmap
