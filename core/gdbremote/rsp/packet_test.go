package rsp

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

func TestReadFrame(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, sent string
		kind       byte
		payload    string
		sound      bool
		err        error
	}{
		{name: "packet", sent: "$OK#9a", kind: '$', payload: "OK", sound: true},
		{name: "capital digits", sent: "$OK#9A", kind: '$', payload: "OK", sound: true},
		{name: "empty", sent: "$#00", kind: '$', sound: true},
		{name: "garbage before", sent: "\x00\xffhello$OK#9a", kind: '$', payload: "OK", sound: true},
		{name: "wrong Checksum", sent: "$OK#9b", kind: '$'},
		{name: "Checksum of no digits", sent: "$OK#zz", kind: '$'},
		{name: "acknowledged", sent: "+$OK#9a", kind: '+', sound: true},
		{name: "asked again", sent: "-", kind: '-', sound: true},
		{name: "interrupt", sent: "\x03", kind: Break, sound: true},
		{name: "notification", sent: "%Stop:T05#99", kind: '%', payload: "Stop:T05", sound: true},
		{name: "start in the middle", sent: "$m40$OK#9a", kind: '$', payload: "OK", sound: true},
		// The manual's example: "0* " is four zeros.
		{name: "run", sent: "$0* #7a", kind: '$', payload: "0000", sound: true},
		{name: "runs", sent: "$0*~1*\"#55", kind: '$', payload: strings.Repeat("0", 98) + "111111", sound: true},
		{name: "run of nothing", sent: "$* #4a", err: ErrMalformed},
		{name: "run without a count", sent: "$0*#5a", err: ErrMalformed},
		{name: "count below the bias", sent: "$0*\x1d#77", err: ErrMalformed},
		{name: "cut in the payload", sent: "$OK", err: io.EOF},
		{name: "cut in the Checksum", sent: "$OK#9", err: io.EOF},
		{name: "endless", sent: "$" + strings.Repeat("0", MaxPacket+1), err: ErrTooLong},
		{name: "endless run", sent: endlessRun(), err: ErrTooLong},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f, err := Read(bufio.NewReader(strings.NewReader(tt.sent)))
			if !errors.Is(err, tt.err) {
				t.Fatalf("error %v, want %v", err, tt.err)
			}
			if f.Kind != tt.kind || string(f.Payload) != tt.payload || f.Sound != tt.sound {
				t.Errorf("got %q %q sound %v, want %q %q %v", f.Kind, f.Payload, f.Sound, tt.kind, tt.payload, tt.sound)
			}
		})
	}
}

// endlessRun is a packet of few bytes that expands to more than MaxPacket.
func endlessRun() string {
	body := "0" + strings.Repeat("*~", MaxPacket/97+1)
	return "$" + body + fmt.Sprintf("#%02x", Checksum([]byte(body)))
}

func TestEscapes(t *testing.T) {
	t.Parallel()
	payload := "X20000000,5:\x00$#}*"
	sent := string(Append(nil, []byte(payload)))
	if want := "$X20000000,5:\x00}\x04}\x03}\x5d}\x0a#"; !strings.HasPrefix(sent, want) {
		t.Fatalf("sent %q, want %q and the checksum", sent, want)
	}
	f, err := Read(bufio.NewReader(strings.NewReader(sent)))
	if err != nil || !f.Sound {
		t.Fatalf("read back: sound %v, %v", f.Sound, err)
	}
	back, err := Unescape(string(f.Payload))
	if err != nil || string(back) != payload {
		t.Errorf("read back %q, %v", back, err)
	}
	if _, err := Unescape("l<target}"); !errors.Is(err, ErrMalformed) {
		t.Errorf("escape at the end: %v", err)
	}
}

// FuzzPacket reads arbitrary bytes as frames until they end, within the bound
// on the payload, and checks that what is sent can be read back.
func FuzzPacket(f *testing.F) {
	for _, seed := range []string{"$OK#9a", "+$0* #7a", "%Stop:T05#99", "$m}\x03#ff", "-$$#00", "$*#2a"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r := bufio.NewReader(bytes.NewReader(data))
		for {
			fr, err := Read(r)
			if err != nil {
				break
			}
			if len(fr.Payload) > MaxPacket {
				t.Fatalf("payload of %d bytes", len(fr.Payload))
			}
		}
		if len(data) > MaxPacket/2 {
			return
		}
		fr, err := Read(bufio.NewReader(bytes.NewReader(Append(nil, data))))
		if err != nil || !fr.Sound {
			t.Fatalf("own packet: sound %v, %v", fr.Sound, err)
		}
		if back, err := Unescape(string(fr.Payload)); err != nil || !bytes.Equal(back, data) {
			t.Fatalf("own packet reads as %q, %v", back, err)
		}
	})
}
