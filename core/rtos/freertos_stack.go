package rtos

import "pushmask/core"

// stackOf tells the bounds of a task's stack. Its low end is in the control
// block; its high end is that of the array that it is, or of the block of the
// heap, or what the kernel recorded (configRECORD_STACK_HIGH_ADDRESS).
func (f *freertos) stackOf(tcb *record) core.Stack {
	low := tcb.pointer("pxStack")
	if low == 0 || low&3 != 0 {
		return core.Stack{}
	}
	if o, ok := f.Image.SymbolAt(uint32(low)); ok && !o.Func && o.Addr == uint32(low) && o.Size >= 32 && o.Size <= maxStack {
		return core.Stack{Low: low, High: low + core.Addr(o.Size)}
	}
	if end, ok := f.heapBlock(low); ok && f.endsAbove(end, tcb) {
		return core.Stack{Low: low, High: end}
	}
	// pxEndOfStack is the highest word that is aligned to 8 bytes.
	if end := tcb.pointer("pxEndOfStack"); end > low && end-low < maxStack {
		return core.Stack{Low: low, High: end + 4}
	}
	return core.Stack{}
}

// endsAbove reports whether the saved stack pointer of a task is not above the
// end of its stack.
func (f *freertos) endsAbove(end core.Addr, tcb *record) bool {
	return f.inTCB(tcb) || tcb.pointer("pxTopOfStack") <= end
}

// inTCB reports whether the registers of a task are saved in its control block,
// in front of its list items.
func (f *freertos) inTCB(tcb *record) bool {
	top := tcb.pointer("pxTopOfStack")
	return top > tcb.addr && top <= tcb.at("xStateListItem")
}

// heapBlock returns the end of the block of heap_4.c or heap_5.c that begins at
// a: in front of it is a BlockLink_t, a pointer that is null and a size with
// the header, a multiple of 8, of which the top bit says that the block is
// allocated. With heap_2.c, whose blocks have had that bit since V10.5, the
// pointer is not null. Pointers may be exclusive-or'ed with a secret
// (configENABLE_HEAP_PROTECTOR, V11).
func (f *freertos) heapBlock(a core.Addr) (core.Addr, bool) {
	const header, allocated = 8, 1 << 31
	size, ok := f.word(a - 4)
	if !ok || size&allocated == 0 || a&7 != 0 {
		return 0, false
	}
	size &^= allocated
	if size&7 != 0 || size < header+32 || size > maxStack {
		return 0, false
	}
	end := a - header + core.Addr(size)
	if heap, ok := f.object("ucHeap"); ok && (uint32(a) < heap.Addr || uint32(end) > heap.Addr+heap.Size) {
		return 0, false
	}
	_, ok = f.word(end - 4)
	return end, ok
}
