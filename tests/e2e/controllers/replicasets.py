# SPDX-License-Identifier: Apache-2.0
# replicasets.py - examples/replicaset_controller under churn, killed and started again.
#
# What must hold: the ReplicaSet gets what it wants, and no pod is made that it did not want.  The
# latter is looked at twice.  Where nothing else happens meanwhile, creations and deletions are
# counted.  And of the whole story, replayed in the order of the server's versions: whenever a pod
# is made, the pods of the set are then no more than it wanted at some moment since the generation
# that its status says has been seen.
import os
import random
import tempfile
import time

import api as apis
import kubelet
import process
import timeline

LABELS = {"app": "churn"}
QUIET = 0.2  # seconds, in which somebody might do more than was wanted


class World:
    """One server with one ReplicaSet, its controller and its kubelet."""

    def __init__(self, api, checks, seed):
        self.api = api
        self.checks = checks
        self.chance = random.Random(seed)
        self.ns = f"kin-replicasets-{os.getpid()}"
        self.pods = f"/api/v1/namespaces/{self.ns}/pods"
        self.sets = f"/apis/apps/v1/namespaces/{self.ns}/replicasets"
        api.create("/api/v1/namespaces", {"metadata": {"name": self.ns}})
        self.kubelet = kubelet.Kubelet(api, self.pods)
        self.timeline = timeline.Timeline(api, [self.pods, self.sets], self.kubelet.on_event)
        handle, self.log = tempfile.mkstemp(prefix="kin-replicasets-", suffix=".log")
        os.close(handle)
        program = os.path.join(apis.BUILD, "default/examples/replicaset_controller/"
            "replicaset_controller")
        self.controller = process.Controller(program, ["--namespace", self.ns], api, self.log)
        self.foreign = 0

    def close(self):
        self.timeline.stop()
        self.api.delete(f"/api/v1/namespaces/{self.ns}")
        if self.checks.failed == 0:
            os.unlink(self.log)
        else:
            print(f"what the controller said is in {self.log}")

    def what(self, text):
        return f"{self.api.name}: {text}"

    # ---- what is done ---------------------------------------------------------------------------

    def create_set(self, replicas):
        made = self.api.create(self.sets, {"metadata": {"name": "churn"}, "spec": {
            "replicas": replicas, "selector": {"matchLabels": LABELS},
            "template": {"metadata": {"labels": {**LABELS, "made": "here"}}, "spec": {
                "nodeName": "somewhere", "terminationGracePeriodSeconds": 30,
                "containers": [{"name": "c", "image": "i"}]}}}})
        self.uid = made["metadata"]["uid"]

    def scale(self, replicas):
        self.api.patch(f"{self.sets}/churn", {"spec": {"replicas": replicas}})

    def label(self, pod, app):
        self.api.patch(f"{self.pods}/{pod}", {"metadata": {"labels": {"app": app}}})

    def create_foreign(self):
        self.foreign += 1
        name = f"foreign-{self.foreign}"
        self.api.create(self.pods, {"metadata": {"name": name, "labels": LABELS}, "spec": {
            "nodeName": "somewhere", "containers": [{"name": "c", "image": "i"}]}})
        return name

    def restart(self):
        self.controller.kill()
        self.controller.start()

    # ---- what is ---------------------------------------------------------------------------------

    def is_active(self, pod):
        return ("deletionTimestamp" not in pod["metadata"]
            and pod.get("status", {}).get("phase") not in ("Succeeded", "Failed"))

    def is_owned(self, pod):
        return any(o["uid"] == self.uid and o.get("controller")
            for o in pod["metadata"].get("ownerReferences", []))

    def owned(self):
        return [p["metadata"]["name"] for p in self.api.ask("GET", self.pods)["items"]
            if self.is_active(p) and self.is_owned(p)]

    def is_terminating(self, pod):
        return ("deletionTimestamp" in pod["metadata"]
            and pod.get("status", {}).get("phase") not in ("Succeeded", "Failed"))

    def terminating(self):
        return sum(1 for p in self.api.ask("GET", self.pods)["items"] if self.is_terminating(p)
            and self.is_owned(p) and p["metadata"]["labels"].get("app") == LABELS["app"])

    def is_settled(self, replicas):
        """The status says so, and it is so."""
        found = self.api.ask("GET", f"{self.sets}/churn")
        status = found["status"]
        return (status.get("observedGeneration") == found["metadata"]["generation"]
            and status.get("replicas", 0) == status.get("readyReplicas", 0) == replicas
            and status.get("availableReplicas", 0) == replicas
            and status.get("terminatingReplicas") == self.terminating()
            and not status.get("conditions") and len(self.owned()) == replicas)

    def settle(self, what, replicas):
        return self.checks.wait(self.what(what), lambda: self.is_settled(replicas))

    # ---- what happened ---------------------------------------------------------------------------

    def made(self):
        """Pods that the controller has made, by now."""
        with self.timeline.lock:
            return sum(1 for _, kind, o in self.timeline.events
                if kind == "ADDED" and self.is_owned(o))

    def removed(self):
        """Pods that were marked to go, or gone, while they belonged to the set."""
        with self.timeline.lock:
            return len({o["metadata"]["uid"] for _, kind, o in self.timeline.events
                if o.get("kind", "Pod") == "Pod" and self.is_owned(o)
                and (kind == "DELETED" or "deletionTimestamp" in o["metadata"])})

    def step(self, what, action, replicas, makes, removes):
        """Does it, waits until all is as it should be, and counts what that took."""
        made, removed = self.made(), self.removed()

        def counted():
            return self.made() - made, self.removed() - removed

        action()
        self.checks.wait(self.what(f"{what}: something happens"),
            lambda: counted() >= (makes, removes), 10)
        self.settle(what, replicas)
        time.sleep(QUIET)
        self.checks.wait(self.what(f"{what}: its watch"), self.has_seen_all)
        self.checks.expect(self.what(f"{what}: pods made and removed"), counted(),
            (makes, removes))

    def has_seen_all(self):
        """The timeline is at the newest version of every pod there is, and of the set."""
        with self.timeline.lock:
            seen = {(o["metadata"]["uid"], version) for version, _, o in self.timeline.events}
        items = self.api.ask("GET", self.pods)["items"]
        items.append(self.api.ask("GET", f"{self.sets}/churn"))
        return all((i["metadata"]["uid"], int(i["metadata"]["resourceVersion"])) in seen
            for i in items)

    def replay(self):
        """How many pods were made that nobody wanted."""
        active, wanted, observed, unwanted = set(), {}, 0, 0
        for _, kind, item in self.timeline.sorted():
            uid = item["metadata"]["uid"]
            if uid == self.uid:
                wanted[item["metadata"]["generation"]] = item["spec"]["replicas"]
                observed = item.get("status", {}).get("observedGeneration", 0)
                continue
            if kind != "DELETED" and self.is_active(item) and self.is_owned(item):
                active.add(uid)
            else:
                active.discard(uid)
            if kind == "ADDED" and self.is_owned(item):
                most = max(n for generation, n in wanted.items() if generation >= observed)
                unwanted += len(active) > most
        return unwanted


def steps(world):
    """One thing at a time."""
    world.step("a new set", lambda: world.create_set(5), 5, makes=5, removes=0)
    world.step("scaled up", lambda: world.scale(8), 8, makes=3, removes=0)
    world.step("scaled down", lambda: world.scale(3), 3, makes=0, removes=5)
    gone = world.owned()[0]
    world.step("a pod deleted by others", lambda: world.api.delete(f"{world.pods}/{gone}"), 3,
        makes=1, removes=1)
    released = world.owned()[0]
    world.step("a pod relabelled", lambda: world.label(released, "other"), 3, makes=1, removes=0)
    pod = world.api.get(f"{world.pods}/{released}")
    world.checks.expect(world.what("a released pod runs on, as an orphan"),
        "ownerReferences" in pod["metadata"], False)
    world.step("a pod labelled back", lambda: world.label(released, "churn"), 3, makes=0, removes=1)
    world.step("scaled up again", lambda: world.scale(4), 4, makes=1, removes=0)
    world.step("room for another", lambda: world.scale(5), 5, makes=1, removes=0)
    world.step("a foreign pod too many", world.create_foreign, 5, makes=0, removes=1)
    failed = world.owned()[0]
    world.step("a pod that failed", lambda: world.api.patch(f"{world.pods}/{failed}/status",
        {"status": {"phase": "Failed", "conditions": None}}), 5, makes=1, removes=0)
    slow = world.chance.choice(world.owned())
    world.api.patch(f"{world.pods}/{slow}/status", {"status": {"conditions": [
        {"type": "Ready", "status": "False"}]}})
    world.step("one too many", lambda: world.scale(4), 4, makes=0, removes=1)
    world.checks.expect(world.what("the pod goes first that is not ready"),
        slow in world.owned(), False)


def ready_for_long_enough(world):
    """Nothing happens when a pod has been ready for minReadySeconds, and yet the status says so."""
    first = len(world.timeline.events)
    world.step("ready for a while", lambda: world.api.patch(f"{world.sets}/churn",
        {"spec": {"minReadySeconds": 2, "replicas": 5}}), 5, makes=1, removes=0)
    with world.timeline.lock:
        told = [(o["status"].get("readyReplicas", 0), o["status"].get("availableReplicas", 0))
            for _, _, o in world.timeline.events[first:] if o["metadata"]["uid"] == world.uid]
    world.checks.expect(world.what("ready before it is available"),
        any(ready == 5 and available < 5 for ready, available in told), True)
    world.api.patch(f"{world.sets}/churn", {"spec": {"minReadySeconds": 0}})


def made_anew(world):
    """Pods of a set that is gone are not those of another one with its name."""
    made = world.made()
    world.api.delete(f"{world.sets}/churn")
    time.sleep(QUIET)
    world.checks.expect(world.what("a set that is gone makes no pods"), world.made() - made, 0)
    world.create_set(3)
    world.settle("made anew", 3)
    time.sleep(QUIET)
    world.checks.expect(world.what("made anew: pods made"), world.made(), 3)


def late(world):
    """What the controller does comes back to it late: it must not do it again meanwhile.  Only the
    embedded server does so on command; our own watches are open already and are spared."""
    if not isinstance(world.api, apis.Embedded):
        return
    world.api.create("/kin/faults", {"do": "slow", "verb": "watch", "namespace": world.ns,
        "bytes_per_second": 20000, "times": 0})
    world.restart()
    world.step("late, up", lambda: world.scale(15), 15, makes=10, removes=0)
    world.step("late, down", lambda: world.scale(5), 5, makes=0, removes=10)
    world.api.ask("DELETE", "/kin/faults")
    world.restart()


def kills(world, rounds):
    """Scaled up and down, and the controller killed in the middle of it."""
    for number in range(rounds):
        few, many = 5, 35 + number
        for start, end in ((few, many), (many, few)):
            made, removed = world.made(), world.removed()
            world.scale(end)
            deadline = time.monotonic() + 5
            edge = world.chance.randint(1, abs(end - start) - 1)
            while (world.made() - made < edge and world.removed() - removed < edge
                    and time.monotonic() < deadline):
                time.sleep(0.001)
            world.restart()
            what = f"killed between {start} and {end}"
            world.settle(what, end)
            time.sleep(QUIET)
            world.checks.wait(world.what(f"{what}: its watch"), world.has_seen_all)
            world.checks.expect(world.what(f"{what}: pods made and removed"),
                (world.made() - made, world.removed() - removed),
                (max(0, end - start), max(0, start - end)))


def churn(world, seconds):
    """All at once, and nobody waits for anybody."""
    deadline = time.monotonic() + seconds
    replicas = 5
    kill_at = time.monotonic() + 1
    while time.monotonic() < deadline:
        pods = world.owned()
        what = world.chance.randint(0, 5)
        try:
            if what <= 1:
                replicas = world.chance.randint(0, 20)
                world.scale(replicas)
            elif what == 2 and pods:
                world.api.delete(f"{world.pods}/{world.chance.choice(pods)}")
            elif what == 3 and pods:
                world.label(world.chance.choice(pods), "other")
            elif what == 4:
                world.create_foreign()
            elif what == 5:
                others = [p["metadata"]["name"] for p in world.api.ask("GET", world.pods)["items"]
                    if p["metadata"]["labels"]["app"] == "other" and world.is_active(p)]
                if others:
                    world.label(world.chance.choice(others), "churn")
        except apis.Failed:
            pass  # the pod was gone already
        if time.monotonic() > kill_at:
            world.restart()
            kill_at = time.monotonic() + world.chance.uniform(0.2, 1.5)
        time.sleep(world.chance.uniform(0, 0.05))
    world.settle("after the churn", replicas)
    time.sleep(QUIET)
    world.settle("after the churn, and still", replicas)
    world.checks.wait(world.what("the churn's watch"), world.has_seen_all)
    world.checks.expect(world.what("pods made that nobody wanted"), world.replay(), 0)


def run(api, checks, seed, seconds):
    world = World(api, checks, seed)
    world.controller.start()
    try:
        steps(world)
        ready_for_long_enough(world)
        late(world)
        kills(world, 3)
        churn(world, seconds)
        made_anew(world)
        checks.expect(world.what("ends when it is told to"), world.controller.end(), 0)
    finally:
        if world.controller.process.poll() is None:
            world.controller.kill()
        world.close()
