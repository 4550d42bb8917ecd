/// Where links are taken down: a long-lived child of the run, so that what it does outlives the session that
/// asked for it and is not cancelled with it. It is finished last.
actor Teardown {
  private struct Job {
    var work: @Sendable () async -> Void
    var done: CheckedContinuation<Void, Never>
  }

  private var jobs: [Job] = []
  private var isFinished = false
  private var wake: CheckedContinuation<Void, Never>?

  /// Has `work` done by the teardown child, one job after the other, and returns when it is done, whether or
  /// not the caller was cancelled meanwhile. `work` must be bounded in time.
  func perform(_ work: @escaping @Sendable () async -> Void) async {
    precondition(!isFinished, "teardown after its end")
    await withCheckedContinuation { done in
      jobs.append(Job(work: work, done: done))
      wake?.resume()
      wake = nil
    }
  }

  /// Does the jobs until `finish()`.
  func run() async {
    while true {
      if !jobs.isEmpty {
        let job = jobs.removeFirst()
        await job.work()
        job.done.resume()
      } else if isFinished {
        return
      } else {
        await withCheckedContinuation { wake = $0 }
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
