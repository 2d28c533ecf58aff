package rtos

import (
	"fmt"

	"pushmask/core"
)

// waits tells what each blocked task waits for.
func (f *freertos) waits() {
	f.queue, _ = f.layoutOf([]string{"QueueDefinition", "xQUEUE", "Queue_t"}, "pcHead", "xTasksWaitingToSend", "xTasksWaitingToReceive", "uxItemSize")
	if f.queue == nil {
		f.queue = f.knownQueue()
	}
	for i := range f.l.tasks {
		if t := &f.l.tasks[i]; !t.current || f.l.idle {
			f.wait(t)
		}
	}
}

// knownQueue is the part of QueueDefinition that has not changed since V7: in
// front of the lists are four words, whatever their names.
func (f *freertos) knownQueue() *layout {
	n := f.list.size
	return fixed(16+2*n+12, map[string]field{
		"pcHead": {0, 4}, "xTasksWaitingToSend": {16, n}, "xTasksWaitingToReceive": {16 + n, n},
		"uxMessagesWaiting": {16 + 2*n, 4}, "uxLength": {20 + 2*n, 4}, "uxItemSize": {24 + 2*n, 4},
	})
}

// wait sets the state and the object of one task. A task that waits without a
// limit is on the list of suspended tasks; its event item or its notification
// state tells it from one that was suspended.
func (f *freertos) wait(t *task) {
	r, ok := f.record(t.control, f.tcb)
	if !ok || t.State == freertosReady || t.State == "deleted" {
		return
	}
	if f.pending[t.control] {
		t.State = freertosReady
		return
	}
	event, _ := f.record(r.at("xEventListItem"), f.item)
	limit := ""
	if t.State == freertosBlocked {
		limit = f.ticksLeft(r)
	}
	if event != nil && event.pointer("pxContainer") != 0 {
		t.State = freertosBlocked
		t.Waits = f.waitObject(event) + limit
		return
	}
	notified, known := f.awaitsNotification(r)
	switch {
	case notified:
		t.State, t.Waits = freertosBlocked, "notification"+limit
	case t.State == freertosBlocked && known:
		t.Waits = "delay" + limit
	case t.State == freertosBlocked:
		t.Waits = "delay or notification" + limit
	case !known:
		t.State = "suspended or blocked on a notification"
	}
}

// awaitsNotification reports whether the task waits for a notification, and
// whether the layout tells.
func (f *freertos) awaitsNotification(tcb *record) (waits, known bool) {
	const waiting = 1 // taskWAITING_NOTIFICATION, eWaitingNotification in V8
	for _, name := range []string{"ucNotifyState", "eNotifyState"} {
		b, ok := tcb.bytes(name)
		for _, v := range b {
			waits = waits || v == waiting
		}
		known = known || ok
	}
	return waits, known || f.tcb.dwarf != nil // configUSE_TASK_NOTIFICATIONS may be 0
}

// ticksLeft puts the time at which a delayed task wakes up into words.
func (f *freertos) ticksLeft(tcb *record) string {
	item, ok := f.record(tcb.at("xStateListItem"), f.item)
	if !ok {
		return ""
	}
	wake, ok := item.num("xItemValue")
	now, okNow := f.variable("xTickCount")
	if !ok || !okNow {
		return ""
	}
	left := wake - now
	if v, _ := f.item.field("xItemValue"); v.size == 2 {
		left &= 0xffff
	}
	if int32(left) < 0 {
		return "" // overdue: the tick interrupt did not come
	}
	return fmt.Sprintf(" (%d ticks left)", left)
}

// waitObject names what the event item of a task is on: the list of a queue or
// that of an event group, in whose items the top byte of the value says so.
func (f *freertos) waitObject(event *record) string {
	list := event.pointer("pxContainer")
	// The top bit of the value is taskEVENT_LIST_ITEM_VALUE_IN_USE; ticks have
	// two, four or eight bytes.
	if v, _ := event.bytes("xItemValue"); len(v) > 0 && v[len(v)-1]&0x80 != 0 {
		return f.describe("event group", list-4) // uxEventBits precedes the list
	}
	for _, side := range []struct{ member, prefix string }{{"xTasksWaitingToReceive", ""}, {"xTasksWaitingToSend", "space in "}} {
		q, ok := f.record(list-f.queue.offset(side.member), f.queue)
		if ok && f.isQueue(q) {
			return side.prefix + f.describeQueue(q)
		}
	}
	return f.describe("list", list)
}

// isQueue checks what holds of a queue: not more messages than places, and two
// whole lists.
func (f *freertos) isQueue(q *record) bool {
	waiting, ok := q.num("uxMessagesWaiting")
	length, okLength := q.num("uxLength")
	if !ok || !okLength || waiting > length || length == 0 {
		return false
	}
	for _, name := range []string{"xTasksWaitingToSend", "xTasksWaitingToReceive"} {
		items, count, err := f.items(q.at(name))
		if err != nil || uint32(len(items)) != count {
			return false
		}
	}
	return true
}

// describeQueue tells queues, semaphores and mutexes apart: a mutex has no head
// (uxQueueType), a semaphore no room for items. A mutex is said by whom it is
// held.
func (f *freertos) describeQueue(q *record) string {
	head, size := q.pointer("pcHead"), uint32(1)
	if v, ok := q.num("uxItemSize"); ok {
		size = v
	}
	what := "queue"
	switch {
	case head == 0:
		what = "mutex"
	case size == 0:
		what = "semaphore"
	}
	text := f.describe(what, q.addr)
	if name := f.registered(q.addr); name != "" {
		text = what + " " + name
	}
	if what != "mutex" {
		return text
	}
	for _, off := range []core.Addr{8, 4} { // since V10, before
		holder, _ := f.word(q.addr + off)
		if name, ok := f.owners[core.Addr(holder)]; ok {
			return text + " held by " + name
		}
	}
	return text
}

// registered returns the name that the queue registry has for a queue
// (QueueRegistryItem_t: name, handle).
func (f *freertos) registered(q core.Addr) string {
	o, ok := f.object("xQueueRegistry")
	const maxRegistry = 1 << 12
	for off := uint32(0); ok && off+8 <= min(o.Size, maxRegistry); off += 8 {
		if h, _ := f.word(core.Addr(o.Addr + off + 4)); core.Addr(h) != q {
			continue
		}
		p, _ := f.word(core.Addr(o.Addr + off))
		if name, ok := f.textAt(core.Addr(p)); ok {
			return name
		}
	}
	return ""
}
