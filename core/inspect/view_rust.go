package inspect

import (
	"strconv"
	"strings"
)

// Views of Rust's core, alloc and std. Layouts are those that rustc 1.63 to 1.96
// writes into DWARF; members that are wrapped differently are seen through.

// viewerRust returns the views of types of core, alloc and std by their paths.
func viewerRust(name string) func(*Value) *view {
	switch name {
	case "alloc::vec::Vec":
		return viewRustVec
	case "alloc::string::String":
		return viewRustString
	case "alloc::collections::vec_deque::VecDeque":
		return viewVecDeque
	case "alloc::collections::binary_heap::BinaryHeap":
		return viewBinaryHeap
	case "alloc::collections::btree::map::BTreeMap":
		return viewBTreeMap
	case "alloc::collections::btree::set::BTreeSet":
		return viewBTreeSet
	case "std::collections::hash::map::HashMap", "hashbrown::map::HashMap":
		return viewHashMap
	case "std::collections::hash::set::HashSet", "hashbrown::set::HashSet":
		return viewHashSet
	case "alloc::rc::Rc", "alloc::sync::Arc":
		return viewRustRc
	case "alloc::rc::Weak", "alloc::sync::Weak":
		return viewRustWeak
	case "core::cell::RefCell":
		return viewRefCell
	case "core::cell::Ref", "core::cell::RefMut":
		return viewRef
	case "core::time::Duration":
		return viewDuration
	case "std::sync::mutex::Mutex", "std::sync::poison::mutex::Mutex", "std::sync::rwlock::RwLock", "std::sync::poison::rwlock::RwLock":
		return viewMutex
	case "core::cell::Cell", "core::cell::UnsafeCell", "core::mem::manually_drop::ManuallyDrop",
		"core::num::wrapping::Wrapping", "core::pin::Pin":
		return viewWrapper
	}
	if strings.HasPrefix(name, "core::num::nonzero::NonZero") || strings.HasPrefix(name, "core::sync::atomic::Atomic") {
		return viewWrapper
	}
	return nil
}

// viewFatPointer shows &str, &[T], Box<[T]>, *const [T] and pointers to objects of
// a trait.
func viewFatPointer(v *Value) *view {
	p := v.path("data_ptr")
	n, ok := v.path("length").uint()
	addr, ok2 := p.uint()
	if !ok || !ok2 {
		return v.viewTraitObject()
	}
	elem := p.Type.underlying().Elem()
	if name := v.Type.qualifiedName(); strings.HasSuffix(name, "str") || strings.HasPrefix(name, "alloc::boxed::Box<str") {
		return v.rustText(elem, addr, n)
	}
	return v.arrayView(elem, addr, n)
}

// viewTraitObject shows what a pointer to an object of a trait points to: the
// vtable says which type it has.
func (v *Value) viewTraitObject() *view {
	addr, ok := v.path("pointer").uint()
	vtable, ok2 := v.path("vtable").uint()
	if !ok || !ok2 {
		return nil
	}
	t := v.ctx.implementer(uint32(vtable))
	if t == nil {
		return nil
	}
	return v.holding("*", v.ctx.memory(t, uint32(addr)))
}

// rawVec returns the address and the capacity of the buffer of a vector.
func rawVec(buf *Value) (addr, capacity uint64, ok bool) {
	inner := buf.path("inner") // since rustc 1.83
	if inner == nil {
		inner = buf
	}
	addr, ok = inner.path("ptr").uint()
	capacity, ok2 := inner.path("cap").uint()
	return addr, capacity, ok && ok2
}

func viewRustVec(v *Value) *view {
	n, ok := v.path("len").uint()
	addr, capacity, ok2 := rawVec(v.path("buf"))
	elem := v.Type.parameter(0)
	if !ok || !ok2 || elem == nil {
		return nil
	}
	if elementSize(elem) > 0 && n > capacity {
		return damaged("%d elements in a buffer for %d", n, capacity)
	}
	return v.arrayView(elem, addr, n)
}

func viewRustString(v *Value) *view {
	bytes := v.path("vec")
	n, ok := bytes.path("len").uint()
	addr, capacity, ok2 := rawVec(bytes.path("buf"))
	if !ok || !ok2 {
		return nil
	}
	if n > capacity {
		return damaged("%d bytes in a buffer for %d", n, capacity)
	}
	return v.rustText(bytes.Type.parameter(0), addr, n)
}

// viewVecDeque shows a ring buffer. Before rustc 1.67 tail is its first element
// and head is behind its last, later head is its first.
func viewVecDeque(v *Value) *view {
	addr, capacity, ok := rawVec(v.path("buf"))
	head, ok2 := v.path("head").uint()
	elem := v.Type.parameter(0)
	if !ok || !ok2 || elem == nil {
		return nil
	}
	n, counted := v.path("len").uint()
	if !counted {
		tail, ok := v.path("tail").uint()
		if !ok {
			return nil
		}
		if capacity == 0 || tail >= capacity || head >= capacity {
			return damaged("elements %d to %d of %d", tail, head, capacity)
		}
		head, n = tail, (head+capacity-tail)%capacity
	}
	if elementSize(elem) == 0 {
		capacity = max(n, 1)
	}
	return v.ringView(elem, addr, capacity, head, n)
}

// ringView is a view of n elements from one on in a ring buffer.
func (v *Value) ringView(elem *Type, addr, capacity, first, n uint64) *view {
	size := uint64(elementSize(elem))
	if n > capacity || first > capacity || n > maxCount || size > 0 && capacity > maxCount || addr+capacity*size > 1<<32 {
		return damaged("%d elements from %d on in a buffer for %d", n, first, capacity)
	}
	return &view{count: int(n), elements: func(start, end int) []Child {
		var list []Child
		for i := start; i < end; i++ {
			at := (first + uint64(i)) % capacity
			list = append(list, v.numbered(i, v.ctx.memory(elem, uint32(addr+at*size))))
		}
		return list
	}}
}

func viewBinaryHeap(v *Value) *view {
	data := v.path("data")
	if data == nil {
		return nil
	}
	return viewRustVec(data.named(v.Expr))
}

// viewWrapper shows what a type has that adds nothing to its value.
func viewWrapper(v *Value) *view {
	value := v.unwrapped()
	if name := v.Type.qualifiedName(); value != nil && (strings.HasSuffix(name, "AtomicBool") || strings.HasSuffix(name, "Atomic<bool>")) {
		value = value.part(typeBool, 0) // it is declared as a byte
	}
	if value == nil {
		value = v.first("value value", "value __0", "value", "__0", "__pointer", "pointer")
	}
	if value == nil {
		return nil
	}
	return v.holding("value", value)
}

func viewRefCell(v *Value) *view {
	borrow, value := v.path("borrow"), v.path("value", "value")
	n, ok := borrow.uint()
	if !ok || value == nil {
		return nil
	}
	out := v.holdingMember(value, "value", "value")
	out.named = append(out.named, Child{"borrow", borrow})
	switch flag := int32(n); {
	case flag == -1:
		out.note = "mutably borrowed"
	case flag == 1:
		out.note = "borrowed"
	case flag < 0:
		out.note = strconv.Itoa(int(-flag)) + " mutable borrows"
	case flag > 1:
		out.note = strconv.Itoa(int(flag)) + " shared borrows"
	}
	return out
}

// viewRef shows what a borrow of a RefCell refers to.
func viewRef(v *Value) *view {
	p := v.path("value")
	if p == nil {
		return nil
	}
	if p := p.pointerIn(); p != nil {
		return v.targetView(p)
	}
	return v.holding("*", p)
}

func viewDuration(v *Value) *view {
	secs, ok := v.path("secs").uint()
	nanos, ok2 := v.path("nanos").uint()
	if !ok || !ok2 {
		return nil
	}
	if nanos >= 1_000_000_000 {
		return damaged("%d ns in a second", nanos)
	}
	text := strconv.FormatUint(secs, 10)
	if nanos > 0 {
		fraction := strconv.FormatUint(nanos+1_000_000_000, 10)[1:]
		text += "." + strings.TrimRight(fraction, "0")
	}
	return &view{summary: text + "s"}
}

// viewMutex shows what a lock of std protects.
func viewMutex(v *Value) *view {
	value := v.path("data", "value")
	if value == nil {
		return nil
	}
	out := v.holdingMember(value, "data", "value")
	if failed, ok := v.path("poison", "failed").uint(); ok && failed != 0 {
		out.note = "poisoned"
	}
	return out
}
