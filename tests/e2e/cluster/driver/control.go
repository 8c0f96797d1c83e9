// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
)

// A command is a line of words.  Its answer is a line: "ok", with a result after it if there is
// one, or "error" and what went wrong.
type command struct {
	words  []string
	answer chan string
}

// serve passes the commands of one peer on, one after the other, until it has no more.
func serve(ctx context.Context, from io.Reader, to io.Writer, commands chan<- command) {
	lines := bufio.NewScanner(from)
	for lines.Scan() {
		order := command{strings.Fields(lines.Text()), make(chan string, 1)}
		if len(order.words) == 0 {
			continue
		}
		select {
		case commands <- order:
		case <-ctx.Done():
			return
		}
		fmt.Fprintln(to, <-order.answer)
	}
}

func serveSocket(ctx context.Context, listener net.Listener, commands chan<- command) {
	for {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		go func() {
			defer conn.Close()
			serve(ctx, conn, conn, commands)
		}()
	}
}

func (c *cluster) obey(ctx context.Context, words []string) string {
	result, err := c.do(ctx, words[0], words[1:])
	if err != nil {
		return "error " + strings.ReplaceAll(err.Error(), "\n", " ")
	}
	return strings.TrimSpace("ok " + result)
}

func (c *cluster) do(ctx context.Context, verb string, args []string) (string, error) {
	switch verb {
	case "restart":
		c.killAPIServer()
		return "", c.startAPIServer(ctx, args)
	case "start":
		return "", c.startAPIServer(ctx, args)
	case "kill":
		c.killAPIServer()
		return "", nil
	case "terminate":
		return "", c.terminateAPIServer(ctx)
	case "pause", "resume":
		return "", c.holdOrRelease(verb, args)
	case "compact":
		return c.compact(ctx)
	case "save":
		return "", c.saveEtcd(ctx)
	case "restore":
		return "", c.restoreEtcd(ctx)
	case "user":
		if len(args) < 1 {
			return "", errors.New("usage: user NAME [VERBS:RESOURCES[@NAMESPACE] ...]")
		}
		return c.setUser(ctx, args[0], args[1:])
	case "token":
		if len(args) != 1 {
			return "", errors.New("usage: token NAME")
		}
		return c.renewToken(args[0])
	case "pids":
		return fmt.Sprintf("%d %d", c.apiserver.pid(), c.etcd.pid()), nil
	case "stop":
		return "", nil
	}
	return "", fmt.Errorf("no command is called %q", verb)
}

// ctl is the second form of the program: args is a directory and a command.
func ctl(args []string) error {
	if len(args) < 2 {
		return errors.New("usage: kin-cluster ctl DIRECTORY COMMAND [ARGUMENT ...]")
	}
	conn, err := net.Dial("unix", filepath.Join(args[0], "control"))
	if err != nil {
		return err
	}
	defer conn.Close()
	fmt.Fprintln(conn, strings.Join(args[1:], " "))
	answer, err := bufio.NewReader(conn).ReadString('\n')
	if err != nil {
		return fmt.Errorf("%s: no answer: %w", args[1], err)
	}
	verdict, result, _ := strings.Cut(strings.TrimSpace(answer), " ")
	if verdict != "ok" {
		return fmt.Errorf("%s: %s", args[1], result)
	}
	if result != "" {
		fmt.Fprintln(os.Stdout, result)
	}
	return nil
}
