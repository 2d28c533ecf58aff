package session

import (
	"fmt"

	"pushmask/core/svd"
)

// IsArray reports whether the parts of an item are the elements of an array.
func (x PeripheralItem) IsArray() bool { return x.array != "" }

// grouped puts arrays in the place of their first elements. What has one element
// is none.
func grouped(list []PeripheralItem) []PeripheralItem {
	size := map[string]int{}
	for i := range list {
		if array, _, ok := svd.CutIndex(list[i].fullName()); ok {
			size[array]++
		}
	}
	var out []PeripheralItem
	seen := map[string]bool{}
	for _, x := range list {
		array, _, ok := svd.CutIndex(x.fullName())
		switch {
		case !ok || size[array] == 1:
			out = append(out, x)
		case !seen[array]:
			seen[array] = true
			outer, _, _ := cutLast(x.cluster)
			if x.register != nil {
				outer = x.cluster
			}
			out = append(out, PeripheralItem{peripheral: x.peripheral, cluster: outer, array: array})
		}
	}
	return out
}

// elements lists the elements of an array.
func (x *PeripheralItem) elements() []PeripheralItem {
	var list []PeripheralItem
	for _, e := range registersOf(x.peripheral, x.cluster) {
		if array, _, ok := svd.CutIndex(e.fullName()); ok && array == x.array {
			list = append(list, e)
		}
	}
	return list
}

// arrayText describes an array by where it begins and what it has.
func arrayText(list []PeripheralItem) (value, typ string) {
	if r := list[0].register; r != nil {
		return r.Addr.String(), fmt.Sprintf("%d registers, %v", len(list), r.Access)
	}
	return "", fmt.Sprintf("%d clusters", len(list))
}
