/// The executor of one connection.
public final class BusThread: SerialExecutor, TaskExecutor {
  /// Takes a job.
  public func enqueue(_ job: consuming ExecutorJob) { fatalError("lands next") }
}
