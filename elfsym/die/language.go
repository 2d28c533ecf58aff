package die

// Language is a value of DW_AT_language (DWARF 5, 7.12 and the list of codes at
// https://dwarfstd.org/languages.html).
type Language uint16

// The languages that firmware is written in.
const (
	C89          Language = 0x01
	C            Language = 0x02
	CPlusPlus    Language = 0x04
	C99          Language = 0x0c
	CPlusPlus03  Language = 0x19
	CPlusPlus11  Language = 0x1a
	Rust         Language = 0x1c
	C11          Language = 0x1d
	CPlusPlus14  Language = 0x21
	CPlusPlus17  Language = 0x2a
	CPlusPlus20  Language = 0x2b
	C17          Language = 0x2c
	MipsAssembly Language = 0x8001 // what the GNU assembler writes
)

// Language returns the language of the unit, 0 when it states none.
func (u *Unit) Language() Language {
	u.load()
	return u.language
}

// IsCPlusPlus reports whether l is a version of C++.
func (l Language) IsCPlusPlus() bool {
	switch l {
	case CPlusPlus, CPlusPlus03, CPlusPlus11, CPlusPlus14, CPlusPlus17, CPlusPlus20:
		return true
	}
	return false
}

// isFortran are the versions of Fortran, otherFromOne the other languages whose
// arrays begin at 1 where nothing else is said (DWARF 5, 7.12).
var (
	isFortran    = map[Language]bool{0x07: true, 0x08: true, 0x0e: true, 0x22: true, 0x23: true, 0x2d: true}
	otherFromOne = map[Language]bool{
		0x03: true, 0x05: true, 0x06: true, 0x09: true, 0x0a: true, 0x0d: true, 0x0f: true, 0x17: true, 0x1f: true, 0x2e: true, 0x2f: true,
	}
)

// IsFortran reports whether l is a version of Fortran.
func (l Language) IsFortran() bool { return isFortran[l] }

// LowerBound returns the index of the first element of arrays for which nothing
// else is said.
func (l Language) LowerBound() int64 {
	if isFortran[l] || otherFromOne[l] {
		return 1
	}
	return 0
}

// IsC reports whether l is a version of C.
func (l Language) IsC() bool {
	switch l {
	case C89, C, C99, C11, C17:
		return true
	}
	return false
}
