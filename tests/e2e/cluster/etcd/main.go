// SPDX-License-Identifier: Apache-2.0

// etcd, built from the published module; the build script writes the go.mod.
package main

import (
	"os"

	"go.etcd.io/etcd/server/v3/etcdmain"
)

func main() { etcdmain.Main(os.Args) }
