package dapclient

import "strings"

// expand puts the variables of an ErrorMessage into its format, in which a
// name in braces stands for one.
func expand(format string, variables map[string]string) string {
	pairs := make([]string, 0, 2*len(variables))
	for name, value := range variables {
		pairs = append(pairs, "{"+name+"}", value)
	}
	return strings.NewReplacer(pairs...).Replace(format)
}
