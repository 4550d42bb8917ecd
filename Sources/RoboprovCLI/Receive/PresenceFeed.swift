import Application
import Bluetooth
import FoundationEssentials

/// Prints the events of `roboprov monitor`.
actor PresenceFeed {
  private var presence: Presence
  private let clock: any TimeSource
  private let wall: @Sendable () -> Date
  private var adapter: Adapter?

  init(_ presence: Presence, _ stack: BluetoothStack) {
    self.presence = presence
    clock = stack.clock
    wall = stack.wall
  }

  func handle(_ event: Reception.Event) {
    switch event {
    case .scanning(let adapter):
      self.adapter = adapter
      Console.say("Scanning on \(adapter.name)")
      presence.scanBegan(at: clock.now)
      print(.scanStarted)
    case .lost:
      presence.scanEnded(at: clock.now)
      print(.scanEnded)
      adapter = nil
    case .received(let advertisement):
      if case .entered(let device)? = presence.receive(advertisement, wall: wall()) { print(.enter, device) }
    }
  }

  /// Prints the devices that have left.
  /// - Returns: False if stdout has lost its reader.
  func tick() -> Bool {
    for case .left(let device) in presence.departures(at: clock.now) { print(.leave, device) }
    return !Console.hasLostReader
  }

  private func print(_ event: MonitorLine.Event, _ device: Presence.Device? = nil) {
    Console.data(MonitorLine(event: event, at: wall(), adapter: adapter, device: device).text + "\n")
  }
}
