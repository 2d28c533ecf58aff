// Package lsp is a language server for crash logs: in a text that a failing
// device left behind it finds the code addresses of a firmware image, shows
// on hover which function, source line and inlined calls they stand for, and
// takes the editor to that line.
//
// cmd/pushmask runs it on standard input and output; everything it knows of
// the firmware comes from core/session. It does not read dumps and does not
// look into C or C++ sources.
package lsp
