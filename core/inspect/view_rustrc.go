package inspect

import "strings"

// Views of Rust's counted pointers and of objects of traits.

// counted is what an Rc or an Arc points to: two counters and the value.
type counted struct {
	pointer *Value // to the block, or the wide pointer that has it
	block   *Value
	strong  *Value
	weak    *Value
}

// countedIn returns the block that a counted pointer points to.
func countedIn(v *Value) (c counted, ok bool) {
	c.pointer = v.path("ptr", "pointer")
	narrow := c.pointer
	if c.pointer == nil {
		return c, false
	}
	if !c.pointer.Type.underlying().isPointer() { // to what has a length or a vtable
		narrow = c.pointer.first("data_ptr", "pointer")
	}
	if narrow == nil || !narrow.Type.underlying().isPointer() {
		return c, false
	}
	block, err := v.ctx.dereference(narrow)
	if err != nil {
		return c, false
	}
	c.block, c.strong, c.weak = block, block.path("strong"), block.path("weak")
	return c, c.strong != nil && c.weak != nil
}

// value is a view of what a block has behind its counters.
func (c *counted) value(v *Value) *view {
	value := c.block.first("value", "data")
	if value == nil {
		return nil
	}
	if n, ok := c.pointer.path("length").uint(); ok && c.pointer.Type.underlying().isRecord() {
		if strings.Contains(v.Type.qualifiedName(), "<str") {
			return v.rustText(value.Type, uint64(value.addr), n)
		}
		return v.arrayView(value.Type, uint64(value.addr), n)
	}
	if vtable, ok := c.pointer.path("vtable").uint(); ok && c.pointer.Type.underlying().isRecord() {
		t := v.ctx.implementer(uint32(vtable))
		if t == nil {
			return nil
		}
		value = v.ctx.memory(t, alignUp(value.addr, alignOf(t)))
	}
	return v.holding("value", value)
}

func viewRustRc(v *Value) *view {
	c, ok := countedIn(v)
	if !ok {
		return nil
	}
	return c.view(v)
}

// view shows the value with its counters, or why it cannot be there.
func (c *counted) view(v *Value) *view {
	strong, ok := c.strong.uint()
	if !ok {
		return c.value(v)
	}
	if strong == 0 || strong > maxCount {
		return damaged("it has %d owners", strong)
	}
	out := c.value(v)
	if out == nil || out.summary != "" {
		return out
	}
	out.named = append(out.named, Child{"strong", c.strong}, Child{"weak", c.weak})
	return out
}

// viewRustWeak shows what a weak pointer points to while somebody owns it. One
// that never pointed to anything is an address of all ones.
func viewRustWeak(v *Value) *view {
	c, ok := countedIn(v)
	if !ok {
		return nil
	}
	if c.block.addr == 1<<32-1 {
		return &view{summary: "<dangling>"}
	}
	if strong, ok := c.strong.uint(); ok && strong == 0 {
		return &view{summary: "<dropped>"}
	}
	return c.view(v)
}
