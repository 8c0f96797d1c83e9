// SPDX-License-Identifier: Apache-2.0

// peer-client-go follows the ConfigMaps of some namespaces with one of client-go's shared informers
// each, and writes a line for each thing that its handler is told:
//
//	synced
//	TYPE KEY UID VERSION UID-BEFORE VERSION-BEFORE
//
// TYPE is added, updated or deleted; what was not there before is "-" and 0.  It ends with its
// standard input.
//
//	peer-client-go KUBECONFIG NAMESPACE ...
package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"sync"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

// A ledger is shared by handlers, which are called on goroutines of their own.
type ledger struct {
	mutex sync.Mutex
	out   *bufio.Writer
}

func (l *ledger) write(format string, args ...any) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	fmt.Fprintf(l.out, format, args...)
	l.out.Flush()
}

func (l *ledger) note(kind string, now, before any) {
	object, err := meta.Accessor(now)
	if err != nil {
		panic(err)
	}
	uid, version := "-", "0"
	if before != nil {
		if last, err := meta.Accessor(before); err == nil {
			uid, version = string(last.GetUID()), last.GetResourceVersion()
		}
	}
	l.write("%s %s/%s %s %s %s %s\n", kind, object.GetNamespace(), object.GetName(),
		object.GetUID(), object.GetResourceVersion(), uid, version)
}

func (l *ledger) handler() cache.ResourceEventHandler {
	return cache.ResourceEventHandlerFuncs{
		AddFunc:    func(now any) { l.note("added", now, nil) },
		UpdateFunc: func(before, now any) { l.note("updated", now, before) },
		DeleteFunc: func(last any) {
			if tombstone, ok := last.(cache.DeletedFinalStateUnknown); ok {
				last = tombstone.Obj
			}
			l.note("deleted", last, nil)
		},
	}
}

func run(kubeconfig string, namespaces []string) error {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	config.QPS = -1
	config.ContentType = "application/vnd.kubernetes.protobuf"
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	l := &ledger{out: bufio.NewWriter(os.Stdout)}
	for _, namespace := range namespaces {
		factory := informers.NewSharedInformerFactoryWithOptions(client, 0,
			informers.WithNamespace(namespace))
		if _, err := factory.Core().V1().ConfigMaps().Informer().AddEventHandler(
			l.handler()); err != nil {
			return err
		}
		factory.Start(ctx.Done())
		factory.WaitForCacheSync(ctx.Done())
	}
	l.write("synced\n")
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: peer-client-go KUBECONFIG NAMESPACE ...")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, "peer-client-go:", err)
		os.Exit(1)
	}
}
