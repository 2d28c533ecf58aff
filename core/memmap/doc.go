// Package memmap joins memory of several sources into one view.
//
// A [Map] splices regions: bytes, parts of files, other memories. Where
// regions overlap, the one added later wins, whatever the shape of the
// overlap; bytes of an older region that no newer one covers stay visible.
// The shapes, with o the older region, n the newer and the result below:
//
//	n equals o          n begins below o     n ends above o
//	  oooo                  oooo             oooo
//	  nnnn                nnnn                 nnnn
//	  nnnn                nnnnoo             oonnnn
//
//	n inside o          o inside n           n over a gap
//	  oooooo                oo               oo    oo
//	    nn                nnnnnn              nnnnnn
//	  oonnoo              nnnnnn             onnnnnno
//
// n inside o leaves two pieces of o, both still reading the right bytes of
// its source. Regions that only touch are both kept. TestOverlap holds one
// case per shape.
//
// [Over] layers two memories instead: the upper one wins byte by byte, and
// only its holes show the lower one. It serves for a dump's RAM over the
// flash of an ELF.
package memmap
