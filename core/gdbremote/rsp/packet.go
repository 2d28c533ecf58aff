// Package rsp frames the packets of the GDB remote serial protocol for both
// ends of a connection: "Debugging with GDB", appendix E.1 (Overview).
package rsp

import (
	"bufio"
	"errors"
	"fmt"
)

// The reasons a packet cannot be read, for errors.Is.
var (
	// ErrMalformed: the packet is not what the protocol says.
	ErrMalformed = errors.New("the packet is malformed")
	// ErrTooLong: a packet exceeds [MaxPacket].
	ErrTooLong = errors.New("the packet is too long")
)

// MaxPacket bounds the payload of a packet that is received, in bytes, before
// and after run-length decoding. The largest PacketSize seen in stubs is
// 128 KiB.
const MaxPacket = 1 << 20

// Bytes that frame packets (E.1, Overview).
const (
	PacketStart = '$'
	NotifyStart = '%'
	packetEnd   = '#'
	escapeByte  = '}'
	repeatByte  = '*'
	Ack         = '+'
	Nak         = '-'
	Break       = 0x03
	escapeMask  = 0x20
	repeatBias  = 29 // a repeat count is sent as count + 29
)

// Checksum is the sum of the bytes as they are sent, modulo 256.
func Checksum(sent []byte) byte {
	var sum byte
	for _, c := range sent {
		sum += c
	}
	return sum
}

// Append appends the packet that carries payload, escaped.
func Append(dst, payload []byte) []byte {
	dst = append(dst, PacketStart)
	start := len(dst)
	for _, c := range payload {
		if Escapes(c) {
			dst = append(dst, escapeByte, c^escapeMask)
		} else {
			dst = append(dst, c)
		}
	}
	return fmt.Appendf(dst, "#%02x", Checksum(dst[start:]))
}

// Escapes reports whether a byte of binary data takes two in a packet.
func Escapes(c byte) bool {
	return c == PacketStart || c == packetEnd || c == escapeByte || c == repeatByte
}

// Frame is one thing that an end sends.
type Frame struct {
	Kind    byte   // PacketStart, NotifyStart, Ack, Nak or Break
	Payload []byte // run lengths decoded, escapes not; of packets alone
	Sound   bool   // the checksum matches
}

// Read reads the next frame; bytes outside of frames are dropped.
func Read(r *bufio.Reader) (Frame, error) {
	for {
		c, err := r.ReadByte()
		if err != nil {
			return Frame{}, err
		}
		switch c {
		case Ack, Nak, Break:
			return Frame{Kind: c, Sound: true}, nil
		case PacketStart, NotifyStart:
			return readPacket(r, c)
		}
	}
}

// readPacket reads a packet after its first byte. A first byte in its middle
// starts over: the end of the packet before was lost.
func readPacket(r *bufio.Reader, kind byte) (Frame, error) {
	var sent []byte
	for {
		c, err := r.ReadByte()
		if err != nil {
			return Frame{}, err
		}
		switch {
		case c == PacketStart:
			kind, sent = c, sent[:0]
			continue
		case c != packetEnd:
			if len(sent) == MaxPacket {
				return Frame{}, ErrTooLong
			}
			sent = append(sent, c)
			continue
		}
		var sum [2]byte
		for i := range sum {
			if sum[i], err = r.ReadByte(); err != nil {
				return Frame{}, err
			}
		}
		hi, ok1 := hexDigit(sum[0])
		lo, ok2 := hexDigit(sum[1])
		if !ok1 || !ok2 || hi<<4|lo != Checksum(sent) {
			return Frame{Kind: kind}, nil
		}
		payload, err := expand(sent)
		if err != nil {
			return Frame{}, err
		}
		return Frame{Kind: kind, Payload: payload, Sound: true}, nil
	}
}

// expand undoes run-length encoding: a byte, "*", and a count + 29 stand for
// the byte and count more of it.
func expand(sent []byte) ([]byte, error) {
	out := make([]byte, 0, len(sent))
	for i := 0; i < len(sent); i++ {
		if sent[i] != repeatByte {
			out = append(out, sent[i])
			continue
		}
		i++
		if len(out) == 0 || i == len(sent) || sent[i] <= repeatBias {
			return nil, fmt.Errorf("run length at byte %d: %w", i, ErrMalformed)
		}
		n := int(sent[i]) - repeatBias
		if len(out)+n > MaxPacket {
			return nil, ErrTooLong
		}
		for last := out[len(out)-1]; n > 0; n-- {
			out = append(out, last)
		}
	}
	return out, nil
}

// Unescape undoes the escapes of binary data. Only answers that the manual
// calls binary have them: elsewhere "}" is an ordinary character.
func Unescape(data string) ([]byte, error) {
	out := make([]byte, 0, len(data))
	for i := 0; i < len(data); i++ {
		c := data[i]
		if c == escapeByte {
			i++
			if i == len(data) {
				return nil, fmt.Errorf("escape at the end: %w", ErrMalformed)
			}
			c = data[i] ^ escapeMask
		}
		out = append(out, c)
	}
	return out, nil
}

func hexDigit(c byte) (byte, bool) {
	switch {
	case '0' <= c && c <= '9':
		return c - '0', true
	case 'a' <= c && c <= 'f':
		return c - 'a' + 10, true
	case 'A' <= c && c <= 'F':
		return c - 'A' + 10, true
	}
	return 0, false
}
