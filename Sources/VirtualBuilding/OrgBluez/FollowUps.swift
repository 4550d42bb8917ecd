import Bluetooth
import DBus
import VirtualTime

/// What bluetoothd tells only when the call that brought it about has been answered.
extension BluetoothDaemon {
  /// A call that is being answered.
  struct CallID: Hashable, Sendable {
    var sender: BusName?
    var serial: UInt32

    init(_ call: MethodCall) {
      sender = call.sender
      serial = call.serial
    }
  }

  /// The call in whose name this task runs.
  @TaskLocal static var call: CallID?

  /// Has something done a while after the answer to the call in hand; without one, a while from now.
  func follow(after delay: ClosedRange<Duration>, _ work: @escaping BackgroundTasks.Work) {
    let delay = random.duration(in: delay)
    afterAnswer {
      guard await self.pause(delay) else { return }
      await work()
    }
  }

  /// Has something done as soon as the call in hand has been answered; without one, at once.
  func afterAnswer(_ work: @escaping BackgroundTasks.Work) {
    if let call = Self.call { followUps[call, default: []].append(work) } else { tasks.start(work) }
  }

  /// An answer has gone out.
  func answered(_ call: MethodCall) {
    for work in followUps.removeValue(forKey: CallID(call)) ?? [] { tasks.start(work) }
  }
}
