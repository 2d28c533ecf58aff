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
		if u.tcb = fixed(size, known(size)); u.holds(first) {
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
// one and, without trace, the last three.
func ucos3Ends(size uint32) map[string]field {
	return map[string]field{"StkPtr": {0, 4}, "DbgPrevPtr": {size - 12, 4}, "DbgNextPtr": {size - 8, 4}, "NamePtr": {size - 4, 4}}
}

// ucos3Known are the layouts of versions with the usual configuration, in
// which kernels have names for debuggers, ticks and mutexes.
var ucos3Known = []func(size uint32) map[string]field{
	// 3.07 and 3.08.
	func(size uint32) map[string]field {
		f := ucos3Ends(size)
		f["StkLimitPtr"], f["NamePtr"], f["StkBasePtr"] = field{8, 4}, field{12, 4}, field{32, 4}
		f["PendObjPtr"], f["PendOn"], f["TaskState"] = field{52, 4}, field{56, 1}, field{58, 1}
		f["Prio"], f["BasePrio"], f["StkSize"], f["Opt"] = field{59, 1}, field{60, 1}, field{68, 4}, field{72, 2}
		return f
	},
	// 3.07 and 3.08 without mutexes.
	func(size uint32) map[string]field {
		f := ucos3Ends(size)
		f["StkLimitPtr"], f["NamePtr"], f["StkBasePtr"] = field{8, 4}, field{12, 4}, field{32, 4}
		f["PendObjPtr"], f["PendOn"], f["TaskState"] = field{52, 4}, field{56, 1}, field{58, 1}
		f["Prio"], f["StkSize"], f["Opt"] = field{59, 1}, field{60, 4}, field{64, 2}
		return f
	},
}

// holds reports whether the layout makes sense of all tasks: stack pointers are
// in stacks, states are ones, and the two pointers to the name are the same.
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
		name, _ := u.word(a + core.Addr(u.tcb.size-4))
		switch {
		case words == 0 || words > maxStack/4 || low == 0 || sp < low || sp >= high || limit < low || limit >= high,
			state > 7 && state != ucos3Deleted, uint32(r.pointer("NamePtr")) != name:
			return false
		}
	}
	return len(list) > 0
}
