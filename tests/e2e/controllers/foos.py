# SPDX-License-Identifier: Apache-2.0
# foos.py - examples/sample_controller under churn, killed and started again.
#
# Each Foo gets one Deployment, made once, and follows it in its status; what is not ours stays as
# it is; a Foo that goes takes its Deployment along.  The part of the Deployment controller is
# played by patches of the Deployments' status.
import os
import random
import tempfile
import time

import api as apis
import process
import timeline

GROUP = "samples.kinformer.example.com"


class World:
    def __init__(self, api, checks, seed):
        self.api = api
        self.checks = checks
        self.chance = random.Random(seed)
        self.ns = f"kin-foos-{os.getpid()}"
        self.foos = f"/apis/{GROUP}/v1/namespaces/{self.ns}/foos"
        self.deployments = f"/apis/apps/v1/namespaces/{self.ns}/deployments"
        self.events = f"/apis/events.k8s.io/v1/namespaces/{self.ns}/events"
        api.create("/api/v1/namespaces", {"metadata": {"name": self.ns}})
        self.timeline = timeline.Timeline(api, [self.deployments])
        handle, self.log = tempfile.mkstemp(prefix="kin-foos-", suffix=".log")
        os.close(handle)
        self.controller = self.program()

    def program(self, *arguments):
        program = os.path.join(apis.BUILD, "default/examples/sample_controller/sample_controller")
        crd = os.path.join(apis.ROOT, "examples/sample_controller/foos.json")
        return process.Controller(program, ["--install-crd", crd, *arguments], self.api, self.log)

    def close(self):
        self.timeline.stop()
        for foo in (self.api.get(self.foos) or {"items": []})["items"]:
            self.api.patch(f"{self.foos}/{foo['metadata']['name']}",
                {"metadata": {"finalizers": None}})
        self.api.delete(f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/foos.{GROUP}")
        self.api.delete(f"/api/v1/namespaces/{self.ns}")
        if self.checks.failed == 0:
            os.unlink(self.log)
        else:
            print(f"what the controller said is in {self.log}")

    def wait(self, what, holds, seconds=30):
        return self.checks.wait(f"{self.api.name}: {what}", holds, seconds)

    def create(self, name, replicas, deployment=None):
        self.api.create(self.foos, {"apiVersion": f"{GROUP}/v1", "kind": "Foo",
            "metadata": {"name": name}, "spec": {"deploymentName": deployment or f"{name}-runs",
            "replicas": replicas}})

    def scale(self, name, replicas):
        self.api.patch(f"{self.foos}/{name}", {"spec": {"replicas": replicas}})

    def replicas(self, name):
        found = self.api.get(f"{self.deployments}/{name}-runs")
        return found and found["spec"]["replicas"]

    def made(self, name):
        """How often the Deployment of a Foo was made."""
        with self.timeline.lock:
            return sum(1 for _, kind, o in self.timeline.events
                if kind == "ADDED" and o["metadata"]["name"] == f"{name}-runs")

    def reasons(self, name):
        return {(e["type"], e["reason"]) for e in self.api.ask("GET", self.events)["items"]
            if e["regarding"]["name"] == name}


def one_foo(world):
    """From its creation to its end."""
    checks, api = world.checks, world.api
    world.create("one", 2)
    world.wait("a Foo gets its Deployment", lambda: world.replicas("one") == 2)
    owner = api.get(f"{world.deployments}/one-runs")["metadata"]["ownerReferences"]
    foo = api.get(f"{world.foos}/one")
    checks.expect("its owner", [(o["kind"], o["name"], o["uid"], o["controller"]) for o in owner],
        [("Foo", "one", foo["metadata"]["uid"], True)])
    checks.expect("its finalizer", foo["metadata"]["finalizers"], [f"{GROUP}/deployment"])
    world.wait("that is told", lambda: ("Normal", "Created") in world.reasons("one"))

    api.patch(f"{world.deployments}/one-runs/status",
        {"status": {"replicas": 2, "readyReplicas": 2, "availableReplicas": 2}})
    world.wait("the status follows", lambda: api.get(f"{world.foos}/one").get("status", {})
        .get("availableReplicas") == 2)
    world.scale("one", 4)
    world.wait("the Deployment is scaled", lambda: world.replicas("one") == 4)
    api.patch(f"{world.deployments}/one-runs", {"spec": {"replicas": 7}})
    world.wait("and scaled back", lambda: world.replicas("one") == 4)
    api.delete(f"{world.deployments}/one-runs")
    world.wait("one that is deleted is made again",
        lambda: world.replicas("one") == 4 and world.made("one") == 2)

    api.delete(f"{world.foos}/one")
    world.wait("a Foo goes", lambda: api.get(f"{world.foos}/one") is None)
    checks.expect("and its Deployment with it", api.get(f"{world.deployments}/one-runs"), None)


def foreign(world):
    """A Deployment that is somebody else's."""
    labels = {"app": "theirs"}
    world.api.create(world.deployments, {"metadata": {"name": "theirs"}, "spec": {"replicas": 1,
        "selector": {"matchLabels": labels}, "template": {"metadata": {"labels": labels},
            "spec": {"containers": [{"name": "c", "image": "i"}]}}}})
    before = world.api.get(f"{world.deployments}/theirs")["metadata"]["resourceVersion"]
    world.create("greedy", 5, "theirs")
    world.wait("people are told that it is not ours",
        lambda: ("Warning", "ErrResourceExists") in world.reasons("greedy"))
    world.api.delete(f"{world.foos}/greedy")
    world.wait("the Foo goes", lambda: world.api.get(f"{world.foos}/greedy") is None)
    after = world.api.get(f"{world.deployments}/theirs")["metadata"]["resourceVersion"]
    world.checks.expect("a foreign Deployment is left alone", after, before)


def churn(world, count, seconds):
    """Many Foos that change all the time, and a controller that is killed."""
    wanted = {f"foo-{number}": 1 for number in range(count)}
    for name in wanted:
        world.create(name, 1)
    deadline = time.monotonic() + seconds
    kill_at = time.monotonic() + 0.1
    while time.monotonic() < deadline:
        name = world.chance.choice(list(wanted))
        wanted[name] = world.chance.randint(0, 10)
        world.scale(name, wanted[name])
        if time.monotonic() > kill_at:
            world.controller.kill()
            world.controller.start()
            kill_at = time.monotonic() + world.chance.uniform(0.1, 1)
        time.sleep(world.chance.uniform(0, 0.02))
    world.wait("each Deployment is as its Foo wants it",
        lambda: all(world.replicas(name) == n for name, n in wanted.items()))
    world.checks.expect("each was made once", {name: world.made(name) for name in wanted},
        {name: 1 for name in wanted})
    for name in wanted:
        world.api.delete(f"{world.foos}/{name}")
    world.controller.kill()
    world.controller.start()
    world.wait("all go", lambda: not world.api.ask("GET", world.foos)["items"])
    world.checks.expect("and nothing stays", [name for name in wanted if
        world.api.get(f"{world.deployments}/{name}-runs")], [])


def handover(world):
    """Two of them, of which one leads; it lets go when it ends, and the other takes over."""
    both = [world.program("--leader-elect"), world.program("--leader-elect")]
    lease = "/apis/coordination.k8s.io/v1/namespaces/default/leases/sample-controller"

    def holder():
        found = world.api.get(lease)
        return (found and found["spec"].get("holderIdentity")) or ""

    try:
        both[0].start()
        world.wait("one leads", holder)
        both[1].start()
        world.create("led", 1)
        world.wait("and works", lambda: world.replicas("led") == 1)
        both[0].pause()
        world.scale("led", 2)
        time.sleep(2)
        world.checks.expect("the other one does not", world.replicas("led"), 1)
        both[0].resume()
        world.wait("the first one goes on", lambda: world.replicas("led") == 2)
        first = holder()
        world.checks.expect("the first ends", both[0].end(), 0)
        world.wait("the other one leads", lambda: holder() not in ("", first))
        world.scale("led", 3)
        world.wait("and works too", lambda: world.replicas("led") == 3)
        world.api.delete(f"{world.foos}/led")
        world.wait("to the end", lambda: world.api.get(f"{world.foos}/led") is None)
        world.checks.expect("the second ends", both[1].end(), 0)
        world.checks.expect("and lets go", holder(), "")
    finally:
        for controller in both:
            if controller.process and controller.process.poll() is None:
                controller.kill()
        world.api.delete(lease)


def run(api, checks, seed, seconds):
    world = World(api, checks, seed)
    world.controller.start()
    try:
        one_foo(world)
        foreign(world)
        churn(world, 10, seconds)
        checks.expect("it ends when it is told to", world.controller.end(), 0)
        handover(world)
    finally:
        if world.controller.process.poll() is None:
            world.controller.kill()
        world.close()
