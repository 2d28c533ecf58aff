// Command pushmask unwinds crashed ARM firmware.
package main

func main() {}
