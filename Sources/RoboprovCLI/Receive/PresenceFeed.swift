import Application
import Bluetooth
import FoundationEssentials

/// Prints the events of `roboprov monitor`.
actor PresenceFeed {
  private var presence: Presence
  private let clock: any TimeSource
  private let wall: @Sendable () -> Date
  /// The names of the adapters.
  private var names: [AdapterID: String] = [:]

  init(_ presence: Presence, _ stack: BluetoothStack) {
    self.presence = presence
    clock = stack.clock
    wall = stack.wall
  }

  func handle(_ event: Reception.Event) {
    switch event {
    case .scanning(let adapter):
      names[adapter.id] = adapter.name
      Console.say("Scanning on \(adapter.name)")
      presence.scanBegan(on: adapter.id, at: clock.now)
      print(.scanStarted, on: adapter.id)
    case .lost(let adapter):
      presence.scanEnded(on: adapter.id, at: clock.now)
      print(.scanEnded, on: adapter.id)
    case .received(let advertisement):
      if case .entered(let device)? = presence.receive(advertisement, wall: wall()) {
        print(.enter, on: device.adapter, device)
      }
    }
  }

  /// Prints the devices that have left.
  /// - Returns: False if stdout has lost its reader.
  func tick() -> Bool {
    for case .left(let device) in presence.departures(at: clock.now) {
      print(.leave, on: device.adapter, device)
    }
    return !Console.hasLostReader
  }

  private func print(_ event: MonitorLine.Event, on adapter: AdapterID, _ device: Presence.Device? = nil) {
    Console.data(MonitorLine.text(event, at: wall(), on: names[adapter], device) + "\n")
  }
}
