// SPDX-License-Identifier: Apache-2.0

// kin-cluster runs a throw-away Kubernetes API server with its etcd, for tests.
//
//	kin-cluster [FLAG OF KUBE-APISERVER ...]
//	kin-cluster ctl DIRECTORY COMMAND [ARGUMENT ...]
//
// The first form starts the pair on loopback, writes "ready DIRECTORY" when it answers, and then
// takes commands: from its standard input, and from the socket DIRECTORY/control, to which the
// second form sends one.  tests/e2e/README.md lists the commands and the files in DIRECTORY.
//
// Nothing outlives whoever started it.  When the standard input ends, and on SIGTERM, SIGINT and
// SIGHUP, both servers are killed and the directory is removed.  When kin-cluster itself is killed
// the kernel kills the servers (PR_SET_PDEATHSIG), and the next kin-cluster removes the directory.
package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"
)

// The kernel looks at the thread that started a process, not at its program: all are started by
// the main goroutine, which stays on the main thread.
func init() { runtime.LockOSThread() }

func main() {
	var err error
	if len(os.Args) > 1 && os.Args[1] == "ctl" {
		err = ctl(os.Args[2:])
	} else {
		err = run(os.Args[1:])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "kin-cluster:", err)
		os.Exit(1)
	}
}

func run(flags []string) error {
	ctx, stop := signal.NotifyContext(context.Background(),
		syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	defer stop()
	// A reader who has gone away must not end us before we have cleaned up.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)

	commands := make(chan command)
	go func() {
		serve(ctx, os.Stdin, os.Stdout, commands)
		stop()
	}()

	dir, err := makeStateDir()
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	c, err := newCluster(dir, flags)
	if err != nil {
		return err
	}
	defer c.stop()
	if err := c.start(ctx); err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return err
	}
	control, err := net.Listen("unix", filepath.Join(dir, "control"))
	if err != nil {
		return err
	}
	go serveSocket(ctx, control, commands)
	fmt.Println("ready", dir)
	for {
		select {
		case <-ctx.Done():
			return nil
		case order := <-commands:
			order.answer <- c.obey(ctx, order.words)
			if order.words[0] == "stop" {
				return nil
			}
		}
	}
}
