// Package srcpath maps source paths recorded at build time to files of this machine.
package srcpath
