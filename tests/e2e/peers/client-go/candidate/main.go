// SPDX-License-Identifier: Apache-2.0

// candidate takes part in an election with client-go's elector, and writes down when it leads; the
// lines are those of tests/e2e/candidates/kinformer.c.
//
//	candidate KUBECONFIG NAMESPACE NAME IDENTITY LEASE_MS RENEW_MS RETRY_MS
package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sys/unix"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

var lock sync.Mutex

func say(word string) {
	lock.Lock()
	defer lock.Unlock()
	fmt.Fprintln(os.Stdout, word)
}

func sayWhen(word string) {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &now); err != nil {
		panic(err)
	}
	say(fmt.Sprintf("%s %d", word, now.Nano()/1000))
}

func must[T any](value T, err error) T {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return value
}

func milliseconds(text string) time.Duration {
	return time.Duration(must(strconv.Atoi(text))) * time.Millisecond
}

func main() {
	if len(os.Args) != 8 {
		os.Exit(2)
	}
	config := must(clientcmd.BuildConfigFromFlags("", os.Args[1]))
	config.Timeout = time.Second
	client := must(kubernetes.NewForConfig(config))

	elect := func(ctx context.Context) {
		leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
			Lock: &resourcelock.LeaseLock{
				LeaseMeta:  metav1.ObjectMeta{Namespace: os.Args[2], Name: os.Args[3]},
				Client:     client.CoordinationV1(),
				LockConfig: resourcelock.ResourceLockConfig{Identity: os.Args[4]},
			},
			LeaseDuration:   milliseconds(os.Args[5]),
			RenewDeadline:   milliseconds(os.Args[6]),
			RetryPeriod:     milliseconds(os.Args[7]),
			ReleaseOnCancel: true,
			Callbacks: leaderelection.LeaderCallbacks{
				OnStartedLeading: func(context.Context) { sayWhen("yes") },
				OnStoppedLeading: func() {
					sayWhen("no")
					say("end")
				},
			},
		})
	}

	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	begin := func() {
		running.Add(1)
		go func() {
			defer running.Done()
			elect(ctx)
		}()
	}
	begin()
	for orders := bufio.NewScanner(os.Stdin); orders.Scan(); {
		cancel()
		running.Wait()
		if orders.Text() == "stop" {
			say("stopped KIN_OK")
		} else {
			ctx, cancel = context.WithCancel(context.Background())
			begin()
		}
	}
	cancel()
}
