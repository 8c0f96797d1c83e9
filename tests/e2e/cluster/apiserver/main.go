// SPDX-License-Identifier: Apache-2.0

// kube-apiserver, built from the published module; the build script writes the go.mod.
package main

import (
	"os"

	"k8s.io/component-base/cli"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"
)

func main() { os.Exit(cli.Run(app.NewAPIServerCommand())) }
