// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// A process is a server that runs, or has run.  nil is one that was never started.
type process struct {
	name  string
	cmd   *exec.Cmd
	ended chan struct{} // closed when it has gone
	log   string
	start int64 // where in the log its own lines begin
}

// startProcess runs the program of that name that lies beside our own, in `dir`.
func startProcess(dir, name string, args []string) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	p := &process{name: name, ended: make(chan struct{}), log: filepath.Join(dir, name+".log")}
	log, err := os.OpenFile(p.log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	if info, err := log.Stat(); err == nil {
		p.start = info.Size()
	}
	p.cmd = exec.Command(filepath.Join(filepath.Dir(self), name), args...)
	p.cmd.Dir = dir
	p.cmd.Stdout, p.cmd.Stderr = log, log
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setsid: true}
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("cannot start %s: %w", name, err)
	}
	go func() {
		p.cmd.Wait()
		close(p.ended)
	}()
	return p, nil
}

func (p *process) isRunning() bool {
	if p == nil {
		return false
	}
	select {
	case <-p.ended:
		return false
	default:
		return true
	}
}

// pid is 0 when it does not run.
func (p *process) pid() int {
	if !p.isRunning() {
		return 0
	}
	return p.cmd.Process.Pid
}

func (p *process) signal(sig syscall.Signal) error {
	if !p.isRunning() {
		return errNotRunning
	}
	return p.cmd.Process.Signal(sig)
}

// kill returns when it has gone.  Also a process that is stopped dies.
func (p *process) kill() {
	if p.isRunning() {
		p.signal(syscall.SIGKILL)
		<-p.ended
	}
}

// pause returns when no thread of it runs any more.
func (p *process) pause() error {
	if err := p.signal(syscall.SIGSTOP); err != nil {
		return err
	}
	stat := fmt.Sprintf("/proc/%d/stat", p.pid())
	for range 1000 {
		text, err := os.ReadFile(stat)
		if err != nil {
			return err
		}
		// The name in parentheses may hold anything; the state follows it.
		if strings.HasPrefix(string(text[bytes.LastIndexByte(text, ')')+1:]), " T") {
			return nil
		}
		time.Sleep(time.Millisecond)
	}
	return fmt.Errorf("%s does not stop", p.name)
}

// says tells whether its log has the words.
func (p *process) says(words string) bool {
	text, _ := os.ReadFile(p.log)
	return p.start <= int64(len(text)) && bytes.Contains(text[p.start:], []byte(words))
}

// lastWords is the end of its log, for an error.
func (p *process) lastWords() string {
	text, _ := os.ReadFile(p.log)
	if len(text) > 2000 {
		text = text[len(text)-2000:]
	}
	return string(text)
}
