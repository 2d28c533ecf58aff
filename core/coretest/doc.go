// Package coretest holds test doubles and writers for the packages below core.
package coretest
