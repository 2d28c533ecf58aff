// Package lsp serves the Language Server Protocol for crash logs and disassembly.
package lsp
