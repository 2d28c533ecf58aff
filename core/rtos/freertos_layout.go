package rtos

import (
	"fmt"

	"pushmask/core"
)

// layouts finds the layouts of lists and items, in DWARF or by the size of a
// list, which the symbol of any of them has.
func (f *freertos) layouts() error {
	var okList, okItem bool
	f.list, okList = f.layoutOf([]string{"xLIST", "List_t"}, "uxNumberOfItems", "xListEnd.pxNext")
	f.item, okItem = f.layoutOf([]string{"xLIST_ITEM", "ListItem_t"}, "pxNext", "pvOwner")
	if okItem && !f.item.has("pxContainer") { // its name before V10.2
		c, ok := f.item.field("pvContainer")
		f.item.fields = map[string]field{"pxContainer": c}
		okItem = ok
	}
	if !okList || !okItem {
		if !f.knownLists() {
			return fmt.Errorf("read the lists of FreeRTOS: neither DWARF nor the size of a list tells their layout")
		}
	}
	if l, ok := f.layoutOf([]string{"tskTaskControlBlock", "TCB_t", "tskTCB"}, "pxTopOfStack", "uxPriority", "pxStack", "pcTaskName"); ok {
		f.tcb = l
		if c, ok := l.field("xGenericListItem"); ok && !l.has("xStateListItem") { // its name before V9
			l.fields = map[string]field{"xStateListItem": c}
		}
	}
	return nil
}

// knownLists sets the layouts of lists without DWARF. They depend on
// configUSE_LIST_DATA_INTEGRITY_CHECK_BYTES (a word before and one after each
// structure), configUSE_MINI_LIST_ITEM (the end marker has two members less;
// always before V10.5) and the width of ticks (list.h).
func (f *freertos) knownLists() bool {
	var size uint32
	for _, name := range []string{"xPendingReadyList", "xDelayedTaskList1", "xDelayedTaskList2"} {
		if o, ok := f.object(name); ok && o.Size != 0 {
			size = o.Size
		}
	}
	check, value := uint32(0), uint32(4) // bytes
	switch size {
	case 20, 28: // with and without the short end marker
	case 24:
		value = 8
	case 32, 44:
		check = 4
	default:
		return false
	}
	next := check + value
	f.item = fixed(next+4*4+check, map[string]field{
		"xItemValue": {check, value}, "pxNext": {next, 4}, "pxPrevious": {next + 4, 4},
		"pvOwner": {next + 8, 4}, "pxContainer": {next + 12, 4},
	})
	end := check + 8
	f.list = fixed(size, map[string]field{
		"uxNumberOfItems": {check, 4}, "pxIndex": {check + 4, 4},
		"xListEnd": {end, size - end}, "xListEnd.pxNext": {end + next, 4},
	})
	return true
}

// knownTCB is the layout of the part of a control block that all versions and
// configurations have (V7 to V11), given where its state item is: with an MPU
// and with core affinity it is not the second member.
func (f *freertos) knownTCB(state uint32) *layout {
	at := state + 2*f.item.size
	fields := map[string]field{
		"pxTopOfStack": {0, 4}, "xStateListItem": {state, f.item.size},
		"xEventListItem": {state + f.item.size, f.item.size}, "uxPriority": {at, 4}, "pxStack": {at + 4, 4},
	}
	at += 8
	if f.hasObjects("pxCurrentTCBs") {
		at += 8 // xTaskRunState, and uxTaskAttributes or xIsIdle
	}
	fields["pcTaskName"] = field{at, maxName}
	return fixed(at+maxName, fields)
}

// add reads the control block of a task that a list led to.
func (f *freertos) add(t freertosTask) {
	l, ok := f.tcbLayout(t)
	if !ok {
		f.l.warnf("the FreeRTOS task at %v is left out: its list item at %v is not in it", t.tcb, t.item)
		return
	}
	r, ok := f.record(t.tcb, l)
	if !ok {
		f.l.warnf("the FreeRTOS task at %v is not in the artefact", t.tcb)
		return
	}
	out := task{control: t.tcb, current: f.current[t.tcb], fill: &freertosFill}
	out.State = t.state
	if out.Name, ok = r.text("pcTaskName"); !ok {
		f.l.warnf("the FreeRTOS task at %v is left out: its name is no text", t.tcb)
		return
	}
	if p, ok := r.signed("uxPriority"); ok {
		out.Priority, out.BasePriority, out.HasPriority = p, p, true
	}
	if p, ok := r.signed("uxBasePriority"); ok {
		out.BasePriority = p
	}
	out.Stack = f.stackOf(r)
	f.owners[t.tcb] = out.Name
	f.l.add(out)
}

// tcbLayout returns the layout of the control block of t after checking that
// the state item is where it says.
func (f *freertos) tcbLayout(t freertosTask) (*layout, bool) {
	off := uint32(t.item - t.tcb)
	const maxState = 4096 // settings of an MPU and saved registers come before the item
	if t.tcb == 0 || t.tcb&3 != 0 || t.item < t.tcb || off < 4 || off > maxState {
		return nil, false
	}
	if f.tcb == nil {
		f.tcb = f.knownTCB(off)
	}
	return f.tcb, f.tcb.offset("xStateListItem") == core.Addr(off)
}
