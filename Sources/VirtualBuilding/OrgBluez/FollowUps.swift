import Bluetooth
import DBus

/// Work that bluetoothd does after the reply to the call that caused it.
extension BluetoothDaemon {
  /// A call that has no reply yet.
  struct CallID: Hashable, Sendable {
    var sender: BusName?
    var serial: UInt32

    init(_ call: MethodCall) {
      sender = call.sender
      serial = call.serial
    }
  }

  /// The call on whose behalf this task runs.
  @TaskLocal static var call: CallID?

  /// Runs work some time after the reply to the current call; without a current call, some time from now.
  func follow(after delay: ClosedRange<Duration>, _ work: @escaping BackgroundTasks.Work) {
    let delay = random.duration(in: delay)
    afterAnswer {
      guard await self.pause(delay) else { return }
      await work()
    }
  }

  /// Runs work immediately after the reply to the current call; without a current call, at once.
  func afterAnswer(_ work: @escaping BackgroundTasks.Work) {
    if let call = Self.call { followUps[call, default: []].append(work) } else { tasks.start(work) }
  }

  /// Records that a reply was sent.
  func answered(_ call: MethodCall) {
    for work in followUps.removeValue(forKey: CallID(call)) ?? [] { tasks.start(work) }
  }
}
