package rtos

import (
	"fmt"

	"pushmask/core"
)

// readTable reads where the members of structures are, and makes the layout of
// threads of it.
func (c *chibios) readTable() error {
	if o, ok := c.object("ch_debug"); ok {
		if err := c.readDebug(core.Addr(o.Addr)); err != nil {
			return err
		}
	} else {
		c.table, _ = c.chibiosDWARF()
	}
	fields := map[string]field{
		"prio": {c.table["prio"], 4}, "ctx": {c.table["ctx"], 4}, "newer": {c.table["newer"], 4}, "older": {c.table["older"], 4},
		"name": {c.table["name"], 4}, "state": {c.table["state"], 1},
	}
	if off := c.table["stklimit"]; off != 0 {
		fields["wabase"] = field{off, 4}
	}
	c.thread = fixed(c.table["threadsize"], fields)
	if l, ok := c.layoutOf(chibiosThread, "ctx"); ok && l.size == c.thread.size {
		l.fields = fields
		c.thread = l
	}
	if !c.thread.has("ctx", "newer", "older", "name", "state") || c.table["newer"] == 0 {
		return fmt.Errorf("read the threads of ChibiOS: where the members of threads are is not known")
	}
	return nil
}

// readDebug reads ch_debug.
func (c *chibios) readDebug(at core.Addr) error {
	if name, ok := c.textAt(at); !ok || name != "main" {
		return fmt.Errorf("read the threads of ChibiOS: ch_debug does not begin with \"main\"")
	}
	size, _ := c.byteAt(at + 5)
	version, _ := c.byteAt(at + 7)
	c.l.kernel = fmt.Sprintf("ChibiOS/RT %d", version>>3) // the top five bits
	c.table = make(map[string]uint32)
	for _, m := range chibiosTable {
		if v, ok := c.byteAt(at + core.Addr(m.off)); ok && m.off < uint32(size) {
			c.table[m.name] = uint32(v)
		}
	}
	return nil
}

// chibiosThread are the names of the structure of a thread.
var chibiosThread = []string{"ch_thread", "thread_t"}

// chibiosDWARF makes the table of what DWARF says of a kernel since 21.
func (s *System) chibiosDWARF() (map[string]uint32, bool) {
	thread, ok := s.layoutOf(chibiosThread, "hdr.pqueue.prio", "ctx", "rqueue.next", "rqueue.prev", "name", "state", "wabase")
	instance, okInstance := s.layoutOf([]string{"ch_os_instance", "os_instance_t"}, "rlist.current")
	system, okSystem := s.layoutOf([]string{"ch_system", "ch_system_t"}, "instances")
	if !ok || !okInstance || !okSystem {
		return nil, false
	}
	instances, _ := system.field("instances")
	table := map[string]uint32{
		"threadsize": thread.size, "instancesnum": instances.size / 4, "sys_instances": instances.off, "intctxsize": 0,
		"inst_current": uint32(instance.offset("rlist.current")), "inst_reglist": 0, "sys_reglist": 0,
	}
	for name, member := range map[string]string{
		"prio": "hdr.pqueue.prio", "ctx": "ctx", "newer": "rqueue.next", "older": "rqueue.prev", "name": "name", "state": "state", "stklimit": "wabase",
	} {
		table[name] = uint32(thread.offset(member))
	}
	if instance.has("reglist") {
		table["inst_reglist"] = uint32(instance.offset("reglist"))
	}
	if system.has("reglist") {
		table["sys_reglist"] = uint32(system.offset("reglist"))
	}
	return table, true
}
