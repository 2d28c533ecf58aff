package inspect

// node is a part of a parsed expression.
type node interface {
	// offset is where errors about the node point to, in bytes.
	offset() int
}

// at is the place of a node.
type at int

func (a at) offset() int { return int(a) }

type (
	// numberNode is a number or a character, which has its type from its text.
	numberNode struct {
		at
		text string
		char bool
	}
	stringNode struct {
		at
		text string
	}
	// nameNode is a variable, a function, a constant or a symbol. What is quoted
	// before it, the outermost first, are scopes: an image, a file or a function,
	// or a file or a function of an image.
	nameNode struct {
		at
		scopes []string
		name   string
	}
	registerNode struct {
		at
		name string
	}
	unaryNode struct {
		at
		op string
		x  node
	}
	binaryNode struct {
		at
		op   string
		x, y node
	}
	conditionNode struct {
		at
		cond, yes, no node
	}
	assignNode struct {
		at
		op   string // "=" or the operator of a compound assignment, "+"
		x, y node
	}
	memberNode struct {
		at
		x     node
		name  string
		arrow bool
	}
	callNode struct {
		at
		f node
	}
	castNode struct {
		at
		typ     *typeNode
		x       node
		asIs    bool // reinterpret_cast: the number stays
		dynamic bool // dynamic_cast: what the object is part of counts
	}
	sizeofNode struct {
		at
		typ   *typeNode // nil for that of x
		x     node
		align bool
	}
	// placeNode is gdb's {type} address.
	placeNode struct {
		at
		typ *typeNode
		x   node
	}
)

// typeNode is the name of a type with what a declarator makes of it.
type typeNode struct {
	at
	image   string // where stated
	name    string // normalised: "unsigned int", "foo", "ns::T<int>"
	word    string // "struct", "union", "enum", "class" where stated
	derived []derivation
}

// derivation makes a type of another.
type derivation struct {
	kind  derivationKind
	count uint32 // of an array
	sized bool   // the count is stated
}

type derivationKind uint8

const (
	derivePointer derivationKind = iota
	deriveReference
	deriveArray
	deriveFunction
)
