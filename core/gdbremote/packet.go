package gdbremote

import (
	"bufio"
	"fmt"
)

// MaxPacket bounds the payload of a packet that is received, in bytes, before
// and after run-length decoding. The largest PacketSize seen in stubs is
// 128 KiB.
const MaxPacket = 1 << 20

// Bytes that frame packets (E.1, Overview).
const (
	packetStart = '$'
	notifyStart = '%'
	packetEnd   = '#'
	escapeByte  = '}'
	repeatByte  = '*'
	ackByte     = '+'
	nakByte     = '-'
	breakByte   = 0x03
	escapeMask  = 0x20
	repeatBias  = 29 // a repeat count is sent as count + 29
)

// checksum is the sum of the bytes as they are sent, modulo 256.
func checksum(sent []byte) byte {
	var sum byte
	for _, c := range sent {
		sum += c
	}
	return sum
}

// appendPacket appends the packet that carries payload, escaped.
func appendPacket(dst, payload []byte) []byte {
	dst = append(dst, packetStart)
	start := len(dst)
	for _, c := range payload {
		switch c {
		case packetStart, packetEnd, escapeByte, repeatByte:
			dst = append(dst, escapeByte, c^escapeMask)
		default:
			dst = append(dst, c)
		}
	}
	return fmt.Appendf(dst, "#%02x", checksum(dst[start:]))
}

// frame is one thing that a stub sends.
type frame struct {
	kind    byte   // packetStart, notifyStart, ackByte or nakByte
	payload []byte // run lengths decoded, escapes not; of packets alone
	sound   bool   // the checksum matches
}

// readFrame reads the next frame; bytes outside of frames are dropped.
func readFrame(r *bufio.Reader) (frame, error) {
	for {
		c, err := r.ReadByte()
		if err != nil {
			return frame{}, err
		}
		switch c {
		case ackByte, nakByte:
			return frame{kind: c, sound: true}, nil
		case packetStart, notifyStart:
			return readPacket(r, c)
		}
	}
}

// readPacket reads a packet after its first byte. A first byte in its middle
// starts over: the end of the packet before was lost.
func readPacket(r *bufio.Reader, kind byte) (frame, error) {
	var sent []byte
	for {
		c, err := r.ReadByte()
		if err != nil {
			return frame{}, err
		}
		switch {
		case c == packetStart:
			kind, sent = c, sent[:0]
			continue
		case c != packetEnd:
			if len(sent) == MaxPacket {
				return frame{}, ErrTooLong
			}
			sent = append(sent, c)
			continue
		}
		var sum [2]byte
		for i := range sum {
			if sum[i], err = r.ReadByte(); err != nil {
				return frame{}, err
			}
		}
		hi, ok1 := hexDigit(sum[0])
		lo, ok2 := hexDigit(sum[1])
		if !ok1 || !ok2 || hi<<4|lo != checksum(sent) {
			return frame{kind: kind}, nil
		}
		payload, err := expand(sent)
		if err != nil {
			return frame{}, err
		}
		return frame{kind: kind, payload: payload, sound: true}, nil
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

// unescape undoes the escapes of binary data. Only answers that the manual
// calls binary have them: elsewhere "}" is an ordinary character.
func unescape(data string) ([]byte, error) {
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
