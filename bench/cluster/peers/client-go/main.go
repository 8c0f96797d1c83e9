// SPDX-License-Identifier: Apache-2.0

// peer-client-go is bench/cluster/follow.c with one of client-go's shared informers: it follows all
// pods, in protobuf and without managedFields, and prints the same two lines.
//
// With KIN_BENCH_TIDY set it collects garbage and returns free memory to the system before it says
// how much it has: no more than it needs.  Without, nothing but the informer takes time.
// OBJECT_KB is 0, since client-go does not know; RESTARTS counts the watches that ended in errors.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

// A tally is what the handler was told since the informer was synced.
type tally struct {
	isSynced atomic.Bool
	restarts atomic.Int64
	mutex    sync.Mutex
	changes  int
	delaysUs []int64
}

// The clock of bench/cluster/change.h.
func nowUs() int64 {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &now); err != nil {
		panic(err)
	}
	return now.Nano() / 1000
}

func (t *tally) note(what any) {
	if !t.isSynced.Load() {
		return
	}
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.changes++
	if pod, ok := what.(*v1.Pod); ok {
		if sent, err := strconv.ParseInt(pod.Annotations["bench/sent"], 10, 64); err == nil {
			t.delaysUs = append(t.delaysUs, nowUs()-sent)
		}
	}
}

// The delay that this share of all are within.
func (t *tally) delayUs(percent int) int64 {
	if len(t.delaysUs) == 0 {
		return 0
	}
	return t.delaysUs[len(t.delaysUs)*percent/100]
}

func anonymousKb() int64 {
	status, _ := os.ReadFile("/proc/self/status")
	_, rest, _ := strings.Cut(string(status), "RssAnon:")
	kb, _ := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
	return kb
}

// peakKb returns the most there was in the samples until the channel is closed.
func peakKb(every time.Duration, until <-chan struct{}) int64 {
	peak := anonymousKb()
	for {
		select {
		case <-until:
			return max(peak, anonymousKb())
		case <-time.After(every):
			peak = max(peak, anonymousKb())
		}
	}
}

func must[T any](value T, err error) T {
	if err != nil {
		fmt.Fprintln(os.Stderr, "peer-client-go:", err)
		os.Exit(1)
	}
	return value
}

func dropManagedFields(what any) (any, error) {
	if pod, ok := what.(*v1.Pod); ok {
		pod.ManagedFields = nil
	}
	return what, nil
}

// start returns the informer, and what is closed when the handler has been told all.
func start(told *tally) (cache.SharedIndexInformer, <-chan struct{}) {
	config := must(clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG")))
	config.QPS = -1
	config.ContentType = "application/vnd.kubernetes.protobuf"
	factory := informers.NewSharedInformerFactoryWithOptions(must(kubernetes.NewForConfig(config)), 0,
		informers.WithTransform(dropManagedFields))
	informer := factory.Core().V1().Pods().Informer()
	must(0, informer.SetWatchErrorHandler(func(*cache.Reflector, error) { told.restarts.Add(1) }))
	registration := must(informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    told.note,
		UpdateFunc: func(_, now any) { told.note(now) },
		DeleteFunc: told.note,
	}))
	go informer.RunWithContext(context.Background())
	return informer, registration.HasSyncedChecker().Done()
}

func main() {
	var told tally
	before := anonymousKb()
	informer, synced := start(&told)
	peak := peakKb(20*time.Millisecond, synced)
	told.isSynced.Store(true)
	if os.Getenv("KIN_BENCH_TIDY") != "" {
		runtime.GC()
		debug.FreeOSMemory()
	}
	fmt.Println("synced", informer.LastSyncResourceVersion(), len(informer.GetStore().ListKeys()), 0,
		anonymousKb()-before, peak-before)
	ended := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		close(ended)
	}()
	peak = peakKb(time.Second, ended)
	told.mutex.Lock()
	slices.Sort(told.delaysUs)
	fmt.Println("followed", told.changes, anonymousKb()-before, peak-before, told.restarts.Load(),
		told.delayUs(50), told.delayUs(99))
}
