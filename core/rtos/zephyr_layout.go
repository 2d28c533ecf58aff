package rtos

import "pushmask/core"

// Indices of _kernel_thread_info_offsets (subsys/debug/thread_info.c). Before
// 2.7 the array was called _kernel_openocd_offsets.
const (
	zephyrInfoVersion = iota
	zephyrInfoCurrent // in struct _cpu, the first of which begins _kernel
	zephyrInfoThreads // in struct z_kernel
	zephyrInfoEntry
	zephyrInfoNext
	zephyrInfoState // in struct _thread_base, which begins k_thread
	zephyrInfoOptions
	zephyrInfoPriority // in struct _thread_base
	zephyrInfoStackPointer
	zephyrInfoName
	zephyrInfoArch
	zephyrInfoFloat // in struct _thread_arch
	zephyrInfoCoopFloat
	zephyrInfoExcReturn // in struct _thread_arch
	zephyrInfoCount
)

// zephyrInfoAbsent is THREAD_INFO_UNIMPLEMENTED.
const zephyrInfoAbsent = 0xffffffff

// zephyrOffsets reads the array of offsets that the image carries for debuggers
// (CONFIG_DEBUG_THREAD_INFO); nil where it has none. Entries that are absent in
// an older kernel are as those that say so.
func zephyrOffsets(s *System) []uint32 {
	for _, name := range []string{"_kernel_thread_info_offsets", "_kernel_openocd_offsets"} {
		o, ok := s.object(name)
		if !ok || o.Size < 4*(zephyrInfoStackPointer+1) {
			continue
		}
		list := make([]uint32, zephyrInfoCount)
		for i := range list {
			list[i] = zephyrInfoAbsent
			if v, ok := s.word(core.Addr(o.Addr) + core.Addr(4*i)); ok && uint32(4*i) < o.Size {
				list[i] = v
			}
		}
		if list[zephyrInfoVersion] <= 1 {
			return list
		}
	}
	return nil
}

// layouts finds the layout of threads, the current ones and the list of all, in
// DWARF or by the offsets that the image carries.
func (z *zephyr) layouts() bool {
	thread, ok := z.layoutOf([]string{"k_thread"}, "base.thread_state", "base.prio", "callee_saved")
	kernel, okKernel := z.layoutOf([]string{"z_kernel", "_kernel"}, "cpus")
	cpu, okCPU := z.layoutOf([]string{"_cpu"}, "current")
	if ok && okKernel && okCPU && cpu.size > 0 {
		z.thread = thread
		f, _ := kernel.field("cpus")
		const maxCPUs = 32
		for i := range min(f.size/cpu.size, maxCPUs) {
			at := z.kernel + core.Addr(f.off+i*cpu.size) + cpu.offset("current")
			v, _ := z.word(at)
			z.current = append(z.current, core.Addr(v))
		}
		if kernel.has("threads") {
			z.threads = z.kernel + kernel.offset("threads")
		}
		return true
	}
	info := zephyrOffsets(z.System)
	if info == nil {
		return false
	}
	z.thread = zephyrKnownThread(info)
	v, _ := z.word(z.kernel + core.Addr(info[zephyrInfoCurrent]))
	z.current = append(z.current, core.Addr(v))
	if info[zephyrInfoThreads] != zephyrInfoAbsent {
		z.threads = z.kernel + core.Addr(info[zephyrInfoThreads])
	}
	return true
}

// maxZephyrName is the longest name a thread can be given room for that is
// believed (CONFIG_THREAD_MAX_NAME_LEN is 32).
const maxZephyrName = 32

// zephyrPendedOn is the offset of pended_on in struct _thread_base: it follows
// the node of the queue in all versions.
const zephyrPendedOn = 8

// zephyrKnownThread is the layout that the offsets tell. r4 to r11 lie in front
// of the stack pointer (struct _callee_saved).
func zephyrKnownThread(info []uint32) *layout {
	fields := map[string]field{}
	size := uint32(0)
	set := func(name string, off, n uint32) {
		if off < maxStruct-n {
			fields[name] = field{off, n}
			size = max(size, off+n)
		}
	}
	set("base.pended_on", zephyrPendedOn, 4)
	set("base.thread_state", info[zephyrInfoState], 1)
	set("base.prio", info[zephyrInfoPriority], 1)
	set("next_thread", info[zephyrInfoNext], 4)
	set("name", info[zephyrInfoName], maxZephyrName)
	if psp := info[zephyrInfoStackPointer]; psp >= 32 {
		set("callee_saved", psp-32, 36)
		set("callee_saved.psp", psp, 4)
	}
	if arch := info[zephyrInfoArch]; arch != zephyrInfoAbsent {
		if v := info[zephyrInfoExcReturn]; v != zephyrInfoAbsent {
			set("arch.mode_exc_return", arch+v, 1)
		}
		if v := info[zephyrInfoFloat]; v != zephyrInfoAbsent {
			set("arch.preempt_float", arch+v, 64)
		}
	}
	return fixed(size, fields)
}
