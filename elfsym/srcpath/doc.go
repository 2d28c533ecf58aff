// Package srcpath finds the source files of a program that was built
// elsewhere: in a container, on a build server, on Windows. It handles POSIX
// and Windows paths whatever the host is, applies the user's mapping rules,
// and looks for the longest matching path suffix in a workspace.
package srcpath
