import CLinux
import Dispatch
import Glibc

/// Limits the simulations that run at once.
private let processors = DispatchSemaphore(value: max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))))

/// Runs a simulation on a new thread, when a processor is free for it: a simulation never waits, so more of them
/// at once would only delay each other, and what needs real time beside them.
package func onSimulationThread(_ body: @escaping @Sendable () -> Void) {
  onThreadWithLargeStack {
    processors.wait()
    defer { processors.signal() }
    body()
  }
}

/// Runs `body` on a new thread on which a deeply nested synchronous call gets as much stack as on the main thread.
func onThreadWithLargeStack(_ body: @escaping @Sendable () -> Void) {
  onThreadOfItsOwn(stackSize: 8 << 20, body)
}

/// Runs `body` on a new thread, for work that blocks or that must end with its thread.
/// - Parameter stackSize: Bytes of stack; nil for the system's default.
package func onThreadOfItsOwn(stackSize: Int? = nil, _ body: @escaping @Sendable () -> Void) {
  final class Box: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
  var attributes = pthread_attr_t()
  pthread_attr_init(&attributes)
  defer { pthread_attr_destroy(&attributes) }
  pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
  if let stackSize { pthread_attr_setstacksize(&attributes, stackSize) }
  var thread = pthread_t()
  let failure = pthread_create(
    &thread, &attributes,
    { context in
      guard let context else { return nil }
      Unmanaged<Box>.fromOpaque(context).takeRetainedValue().body()
      return nil
    }, Unmanaged.passRetained(Box(body)).toOpaque())
  precondition(failure == 0, "no thread: \(String(cString: strerror(failure)))")
}
