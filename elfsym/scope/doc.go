// Package scope says what a program declares, and where: for a PC the function,
// the calls inlined there and the blocks around it with their parameters and
// variables; the variables of a unit and of the whole program; functions, types,
// constants and namespaces by name; and the call sites that tell with what a
// function was entered. Addresses are those of the moved program.
//
// Nothing is read before it is asked for: the scopes of a PC read one function,
// and only names that are looked up in the whole program make an index of it.
package scope
