// Package loopback completes the addresses that servers listen on, and refuses
// those that other machines could reach unless the user asked for it: whoever
// connects can read files of this user.
package loopback

import (
	"errors"
	"fmt"
	"net"
)

// ErrNotLoopback is returned for an address that other machines could reach.
var ErrNotLoopback = errors.New("the address is not on the loopback interface")

// Address completes addr, "host:port": no host means 127.0.0.1. With remote it
// accepts every address, and no host means all interfaces.
func Address(addr string, remote bool) (string, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return "", fmt.Errorf("address %q is not host:port: %w", addr, err)
	}
	if host == "" && !remote {
		host = "127.0.0.1"
	}
	ip := net.ParseIP(host)
	if loopback := host == "localhost" || ip != nil && ip.IsLoopback(); !loopback && !remote {
		return "", fmt.Errorf("listen on %q: %w", addr, ErrNotLoopback)
	}
	return net.JoinHostPort(host, port), nil
}
