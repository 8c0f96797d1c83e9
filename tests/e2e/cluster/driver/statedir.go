// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// Held for as long as the program runs: a directory whose lock is free has lost its owner.
var stateLock *os.File

// makeStateDir makes a new directory below the one for temporary files, and removes those that
// programs which were killed have left there.
func makeStateDir() (string, error) {
	prefix := filepath.Join(os.TempDir(), fmt.Sprintf("kin-cluster-%d", os.Getuid()))
	all, err := lock(prefix+".lock", syscall.LOCK_EX)
	if err != nil {
		return "", err
	}
	defer all.Close()

	left, _ := filepath.Glob(prefix + "-*")
	for _, dir := range left {
		if file, err := lock(filepath.Join(dir, "lock"), syscall.LOCK_EX|syscall.LOCK_NB); err == nil {
			os.RemoveAll(dir)
			file.Close()
		}
	}
	dir, err := os.MkdirTemp(os.TempDir(), filepath.Base(prefix)+"-")
	if err != nil {
		return "", err
	}
	stateLock, err = lock(filepath.Join(dir, "lock"), syscall.LOCK_EX)
	return dir, err
}

func lock(path string, how int) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(file.Fd()), how); err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}
