// Package dap serves the Debug Adapter Protocol for stopped ARM targets.
package dap
