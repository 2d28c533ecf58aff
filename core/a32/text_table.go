package a32

// writer returns the text of a word.
type writer func(raw uint32) string

// textForm is a set of encodings whose text is written here: those that
// armasm lacks, and the loads and stores, of which it knows only some forms.
// A nil writer leaves the encodings to armasm.
type textForm struct {
	mask, value uint32
	write       writer
}

// ownText returns the writer for raw, nil when armasm has to write it.
func ownText(raw uint32) writer {
	table := conditionalText
	if raw >= never {
		table = unconditionalText
	}
	for _, f := range table {
		if raw&f.mask == f.value {
			return f.write
		}
	}
	return nil
}

var conditionalText = []textForm{
	{0xffffffff, 0xe1a00000, noOperationText},
	{0x0e000000, 0x04000000, singleText},
	{0x0e000010, 0x06000000, singleText},
	{0x0e0000f0, 0x000000b0, extraText},
	{0x0e0000d0, 0x000000d0, extraText},
	{0x0e000000, 0x08000000, multipleText},
	{0x0f000000, 0x0f000000, supervisorText},
	{0x0fbf0fff, 0x010f0000, readStatusText},
	{0x0fb0fff0, 0x0120f000, writeStatusText},
	{0x0fffff00, 0x0320f000, hintText},
	{0x0fb0f000, 0x0320f000, writeStatusText},
	{0x0ff000f0, 0x01200070, breakpointText},
	{0xfff00df0, 0xe1000040, checksumText},
	{0xfff00df0, 0xe1200040, checksumText},
	{0xfff00df0, 0xe1400040, checksumText},
	{0x0f800df0, 0x01800c90, orderedText},
	{0xfff000f0, 0xe7f000f0, trapText},
	{0x0ff000f0, 0x01000070, haltText},
	{0x0ff000f0, 0x01400070, hypervisorText},
	{0x0fffffff, 0x0160006e, exceptionReturnText},

	{0x0fe00ed0, 0x0c400a10, movePairText},
	{0x0f200e00, 0x0d000a00, vfpSingleText},
	{0x0e000e00, 0x0c000a00, vfpMultipleText},
	{0x0fe00000, 0x0c400000, moveTwoText},
	{0x0e000000, 0x0c000000, coprocessorMemoryText},
	{0x0f000e00, 0x0e000a00, nil}, // floating point
	{0x0f000f00, 0x0e000900, nil},
	{0x0f000010, 0x0e000000, coprocessorText},
	{0x0f000010, 0x0e000010, coprocessorMoveText},
}

var unconditionalText = []textForm{
	{0xfff1fe20, 0xf1000000, changeStateText},
	{0xfffffdff, 0xf1010000, setEndText},
	{0xfe5fffe0, 0xf84d0500, storeReturnStateText},
	{0xfe50ffff, 0xf8100a00, returnFromExceptionText},
	{0xfffffff0, 0xf57ff040, barrierText("dsb")},
	{0xfffffff0, 0xf57ff050, barrierText("dmb")},
	{0xfffffff0, 0xf57ff060, barrierText("isb")},
	{0xff70f000, 0xf450f000, preloadText("pli")},
	{0xff70f000, 0xf550f000, preloadText("pld")},
	{0xff70f000, 0xf510f000, preloadText("pldw")},
	{0xff70f010, 0xf650f000, preloadText("pli")},
	{0xff70f010, 0xf750f000, preloadText("pld")},
	{0xff70f010, 0xf710f000, preloadText("pldw")},
	{0xfc000c00, 0xfc000800, nil}, // coprocessors 8 to 13: SIMD
	{0xfc000e00, 0xfc000c00, nil},
	{0xffe00000, 0xfc400000, moveTwoText},
	{0xfe000000, 0xfc000000, coprocessorMemoryText},
	{0xff000010, 0xfe000000, coprocessorText},
	{0xff000010, 0xfe000010, coprocessorMoveText},
}
