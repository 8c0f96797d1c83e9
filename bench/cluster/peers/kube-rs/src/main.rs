// SPDX-License-Identifier: Apache-2.0

//! peer-kube-rs is bench/cluster/follow.c with one of kube-rs' reflectors: it follows all pods,
//! without managedFields and in JSON, the one encoding kube-rs has, and prints the same two lines.
//!
//! With KIN_BENCH_TIDY set it returns free memory to the system before it says how much it has: no
//! more than it needs.  Without, nothing but the reflector takes time.  What reads the reflector's
//! stream is the handler.  VERSION is "-" and OBJECT_KB 0, since kube-rs tells neither; RESTARTS
//! counts the errors.
use futures::StreamExt;
use k8s_openapi::api::core::v1::Pod;
use kube::runtime::{WatchStreamExt, reflector, watcher, watcher::Event};
use kube::{Api, Client, ResourceExt};
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering::Relaxed};
use std::{env, fs, io, process, thread, time::Duration};

static PEAK_KB: AtomicI64 = AtomicI64::new(0);
static PAUSE_MS: AtomicU64 = AtomicU64::new(20);

/// What the handler was told since the reflector was synced.
#[derive(Default)]
struct Tally {
    changes: usize,
    restarts: usize,
    delays_us: Vec<i64>,
}

impl Tally {
    fn note(&mut self, pod: &Pod) {
        self.changes += 1;
        if let Some(sent) = pod.annotations().get("bench/sent") {
            self.delays_us
                .extend(sent.parse::<i64>().map(|sent| now_us() - sent));
        }
    }

    fn failed(&mut self, error: watcher::Error) {
        eprintln!("peer-kube-rs: {error}");
        self.restarts += 1;
    }

    /// The delay that this share of all, which are sorted, are within.
    fn delay_us(&self, percent: usize) -> i64 {
        let at = self.delays_us.len() * percent / 100;
        self.delays_us.get(at).copied().unwrap_or(0)
    }
}

/// The clock of bench/cluster/change.h.
fn now_us() -> i64 {
    let mut now = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: it writes nothing but the time, which is ours.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut now) };
    now.tv_sec * 1_000_000 + now.tv_nsec / 1000
}

fn return_free_memory() {
    // SAFETY: it touches nothing that is in use.
    unsafe { libc::malloc_trim(0) };
}

fn anonymous_kb() -> i64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix("RssAnon:"));
    line.and_then(|l| l.split_whitespace().next()?.parse().ok())
        .unwrap_or(0)
}

fn peak_kb() -> i64 {
    let now = anonymous_kb();
    PEAK_KB.fetch_max(now, Relaxed).max(now)
}

fn watch_memory() {
    loop {
        peak_kb();
        thread::sleep(Duration::from_millis(PAUSE_MS.load(Relaxed)));
    }
}

fn report_synced(objects: usize, before_kb: i64) {
    let peak = peak_kb() - before_kb;
    if env::var_os("KIN_BENCH_TIDY").is_some() {
        return_free_memory();
    }
    println!("synced - {objects} 0 {} {peak}", anonymous_kb() - before_kb);
    PEAK_KB.store(0, Relaxed);
    PAUSE_MS.store(1000, Relaxed);
}

fn report_followed(mut told: Tally, before_kb: i64) {
    told.delays_us.sort_unstable();
    println!(
        "followed {} {} {} {} {} {}",
        told.changes,
        anonymous_kb() - before_kb,
        peak_kb() - before_kb,
        told.restarts,
        told.delay_us(50),
        told.delay_us(99)
    );
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let before_kb = anonymous_kb();
    let mut told = Tally::default();
    thread::spawn(watch_memory);

    let pods: Api<Pod> = Api::all(Client::try_default().await?);
    let (reader, writer) = reflector::store::<Pod>();
    let events = watcher(pods, watcher::Config::default())
        .default_backoff()
        .modify(|pod| pod.managed_fields_mut().clear())
        .reflect(writer);
    let mut events = std::pin::pin!(events);
    loop {
        match events.next().await {
            Some(Ok(Event::InitDone)) => break,
            Some(Ok(_)) => {}
            Some(Err(error)) => return Err(error.into()),
            None => return Err("the stream has ended".into()),
        }
    }
    report_synced(reader.len(), before_kb);

    let mut input = tokio::task::spawn_blocking(|| io::copy(&mut io::stdin(), &mut io::sink()));
    loop {
        tokio::select! {
            _ = &mut input => break,
            event = events.next() => match event {
                Some(Ok(Event::Apply(pod) | Event::Delete(pod))) => told.note(&pod),
                Some(Ok(_)) => {}
                Some(Err(error)) => told.failed(error),
                None => return Err("the stream has ended".into()),
            },
        }
    }
    report_followed(told, before_kb);
    process::exit(0); // what there is goes with the process, as curl's does
}
