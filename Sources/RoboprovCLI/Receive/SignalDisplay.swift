import Application
import Bluetooth
import FoundationEssentials
import Reporting

/// Shows the signal of one device for `roboprov find`.
actor SignalDisplay {
  private let target: FindTarget
  private let clock: any TimeSource
  private let isLive: Bool
  private let hasBell: Bool
  private let began: MonotonicInstant
  private let screen = Screen.standardError
  /// The device, once received: several devices can send a room's identity.
  private var device: BluetoothAddress?
  private var track: SignalTrack
  private var lines = LiveLines()
  /// The adapters that scan, by name.
  private var scanning: [AdapterID: String] = [:]

  init(_ target: FindTarget, clock: any TimeSource, isLive: Bool, hasBell: Bool) {
    self.target = target
    self.clock = clock
    self.isLive = isLive
    self.hasBell = hasBell && isLive
    began = clock.now
    track = SignalTrack(from: clock.now)
    device = target.address
  }

  /// The interval of redraws or lines.
  nonisolated var pace: Duration { isLive ? .milliseconds(100) : .seconds(1) }

  /// Whether the device was received.
  var wasReceived: Bool {
    if case .nothing = track.state(at: clock.now) { false } else { true }
  }

  func handle(_ event: Reception.Event) {
    switch event {
    case .scanning(let adapter):
      lines.erase(width: screen.width)
      Console.say("Scanning on \(adapter.name)")
      scanning[adapter.id] = adapter.name
    case .lost(let adapter):
      lines.erase(width: screen.width)
      scanning[adapter.id] = nil
    case .received(let advertisement):
      guard target.matches(advertisement) else { return }
      // A device with several addresses may change between them; for an identity the first device counts.
      if device == nil, target.addresses.isEmpty { device = advertisement.address }
      if let device, device != advertisement.address { return }
      track.receive(rssi: advertisement.rssi, on: advertisement.adapter, at: advertisement.receivedAt)
    }
  }

  /// Shows the present signal.
  /// - Returns: False if stdout has lost its reader.
  func tick() -> Bool {
    guard !scanning.isEmpty else { return true }
    let now = clock.now
    guard isLive else {
      Console.data(plain(at: now) + "\n")
      return !Console.hasLostReader
    }
    let sounds = hasBell && track.rings(at: now)
    let style = screen.style
    lines.draw(
      SignalView.lines(
        track, name: target.name, address: device, on: adapter(at: now), at: now, style: style),
      width: style.width, bell: sounds)
    return true
  }

  private func plain(at now: MonotonicInstant) -> String {
    SignalView.plain(track, on: adapter(at: now), since: began, at: now)
  }

  /// The adapter that receives the device, if several scan.
  private func adapter(at now: MonotonicInstant) -> String? {
    scanning.count > 1 ? track.adapter(at: now).flatMap { scanning[$0] } : nil
  }

  /// Restores the terminal. The last result stays visible.
  func end() {
    lines.erase(width: screen.width)
    if isLive { Console.say(plain(at: clock.now)) }
  }
}
