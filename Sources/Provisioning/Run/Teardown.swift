/// Where links are taken down: a long-lived child of the run, so that what it does outlives the session that
/// asked for it and is not cancelled with it. It is finished last. What is asked for at the same time is done at the same
/// time: each link takes its time to go down.
actor Teardown {
  private struct Job {
    var work: @Sendable () async -> Void
    var done: CheckedContinuation<Void, Never>?
  }

  private var jobs: [Job] = []
  private var isFinished = false
  private var wake: CheckedContinuation<Void, Never>?

  /// Has `work` done by the teardown child, and returns when it is done, whether or
  /// not the caller was cancelled meanwhile. `work` must be bounded in time.
  func perform(_ work: @escaping @Sendable () async -> Void) async {
    precondition(!isFinished, "teardown after its end")
    await withCheckedContinuation { done in
      jobs.append(Job(work: work, done: done))
      wake?.resume()
      wake = nil
    }
  }

  /// Has `work` done by the teardown child and does not wait for it.
  func start(_ work: @escaping @Sendable () async -> Void) {
    precondition(!isFinished, "teardown after its end")
    jobs.append(Job(work: work, done: nil))
    wake?.resume()
    wake = nil
  }

  /// Does the jobs until `finish()`.
  func run() async {
    await withDiscardingTaskGroup { group in
      while true {
        if !jobs.isEmpty {
          let job = jobs.removeFirst()
          group.addTask {
            await job.work()
            job.done?.resume()
          }
        } else if isFinished {
          return
        } else {
          await withCheckedContinuation { wake = $0 }
        }
      }
    }
  }

  /// No more jobs will come.
  func finish() {
    isFinished = true
    wake?.resume()
    wake = nil
  }
}
