package rtos

import "pushmask/core"

// layouts finds the layouts of tasks and objects.
func (u *ucos3) layouts(first core.Addr) bool {
	u.pended, _ = u.layoutOf([]string{"os_pend_obj", "OS_PEND_OBJ"}, "NamePtr")
	u.mutex, _ = u.layoutOf([]string{"os_mutex", "OS_MUTEX"}, "OwnerTCBPtr")
	var ok bool
	if u.tcb, ok = u.layoutOf([]string{"os_tcb", "OS_TCB"}, "StkPtr", "NextPtr", "TaskState", "Prio"); ok {
		return true
	}
	size := u.sizeOfTCB()
	if first == 0 || size == 0 {
		return false
	}
	for _, known := range ucos3Known {
		if u.tcb = fixed(size, known.fields(size)); u.holds(first) {
			return true
		}
	}
	u.tcb = fixed(size, ucos3Ends(size))
	_, err := u.walk(first)
	return err == nil
}

// sizeOfTCB returns the size of a task that every system has, 0 where there is
// none.
func (u *ucos3) sizeOfTCB() uint32 {
	for _, name := range []string{"OSIdleTaskTCB", "OSTickTaskTCB", "OSStatTaskTCB"} {
		if o, ok := u.object(name); ok && o.Size >= 96 && o.Size < 1024 {
			return o.Size
		}
	}
	return 0
}

// ucos3Ends are the members that all versions have in the same place: the first
// and, without trace, the last but one.
func ucos3Ends(size uint32) map[string]field {
	return map[string]field{"StkPtr": {0, 4}, "StkLimitPtr": {8, 4}, "DbgPrevPtr": {size - 12, 4}, "DbgNextPtr": {size - 8, 4}}
}

// ucos3Known are the layouts of versions with the usual configuration, in
// which kernels have names for debuggers and ticks.
var ucos3Known = []ucos3Place{
	{name: 12, base: 32, on: 56, object: 52, basePrio: true, size: 68}, // 3.07 and 3.08
	{name: 12, base: 32, on: 56, object: 52, size: 60},                 // and without mutexes
	{name: 32, base: 36, on: 52, basePrio: true, size: 64},             // 3.05 and 3.06
	{name: 32, base: 36, on: 52, size: 56},                             // 3.03 and 3.04
}

// ucos3Place is where a version has its members: name and bounds of the stack,
// and four bytes of which the first says what a task waits for, the third and
// the fourth are state and priority.
type ucos3Place struct {
	name, base, on, object, size uint32
	basePrio                     bool // of tasks that can inherit priorities
}

func (p ucos3Place) fields(size uint32) map[string]field {
	f := ucos3Ends(size)
	f["NamePtr"], f["StkBasePtr"], f["PendOn"] = field{p.name, 4}, field{p.base, 4}, field{p.on, 1}
	f["TaskState"], f["Prio"] = field{p.on + 2, 1}, field{p.on + 3, 1}
	f["StkSize"], f["Opt"] = field{p.size, 4}, field{p.size + 4, 2}
	if p.basePrio {
		f["BasePrio"] = field{p.on + 4, 1}
	}
	if p.object != 0 {
		f["PendObjPtr"] = field{p.object, 4}
	}
	return f
}

// holds reports whether the layout makes sense of all tasks: stack pointers are
// in stacks, states are ones, and names are text.
func (u *ucos3) holds(first core.Addr) bool {
	list, err := u.walk(first)
	if err != nil {
		return false
	}
	for _, a := range list {
		r, ok := u.record(a, u.tcb)
		if !ok {
			return false
		}
		sp, low, limit := r.pointer("StkPtr"), r.pointer("StkBasePtr"), r.pointer("StkLimitPtr")
		words, _ := r.num("StkSize")
		high := low + core.Addr(4*words)
		state, _ := r.num("TaskState")
		_, named := u.textAt(r.pointer("NamePtr"))
		switch {
		case words == 0 || words > maxStack/4 || low == 0 || sp < low || sp >= high || limit < low || limit >= high,
			state > 7 && state != ucos3Deleted, !named:
			return false
		}
	}
	return len(list) > 0
}
