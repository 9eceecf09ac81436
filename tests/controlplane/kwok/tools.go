//go:build tools

// Package tools keeps the sums of the commands built from this module set in go.sum.
package tools

import (
	_ "sigs.k8s.io/kwok/cmd/kwok"
)
