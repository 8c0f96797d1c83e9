# SPDX-License-Identifier: Apache-2.0
# process.py - a controller as a process: started, ended, killed.
import os
import signal
import subprocess


class Controller:
    def __init__(self, program, arguments, api, log):
        self.command = [program, *arguments]
        self.environment = {**os.environ, "KUBECONFIG": api.kubeconfig}
        self.log = log
        self.process = None

    def start(self):
        with open(self.log, "a", encoding="utf-8") as log:
            self.process = subprocess.Popen(self.command, env=self.environment,
                stdout=subprocess.PIPE, stderr=log, text=True)
        line = self.process.stdout.readline()
        if line != "started\n":
            raise SystemExit(f"{self.command[0]} does not start: see {self.log}: {line}")

    def pause(self):
        self.process.send_signal(signal.SIGSTOP)

    def resume(self):
        self.process.send_signal(signal.SIGCONT)

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.process.stdout.close()

    def end(self, seconds=20):
        """Ends it as an orchestrator does; its status."""
        self.process.send_signal(signal.SIGTERM)
        status = self.process.wait(seconds)
        self.process.stdout.close()
        return status
