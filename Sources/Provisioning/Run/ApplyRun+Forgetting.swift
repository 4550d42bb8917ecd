import Bluetooth

/// Devices that the stack may still remember because their adapter was away when it was to forget them. What
/// it has on disk outlives the adapter's absence, and the daemon's.
struct Leftovers: Sendable {
  private var devices: [AdapterID: Set<BluetoothAddress>] = [:]

  var isEmpty: Bool { devices.isEmpty }

  /// What is left of these adapters, in their order, then by address.
  func on(_ adapters: [AdapterID]) -> [(address: BluetoothAddress, adapter: AdapterID)] {
    adapters.flatMap { adapter in (devices[adapter] ?? []).sorted().map { ($0, adapter) } }
  }

  mutating func insert(_ address: BluetoothAddress, on adapter: AdapterID) {
    devices[adapter, default: []].insert(address)
  }

  mutating func remove(_ address: BluetoothAddress, on adapter: AdapterID) {
    devices[adapter]?.remove(address)
    if devices[adapter]?.isEmpty == true { devices[adapter] = nil }
  }
}

/// Having the stack forget, now or as soon as it can.
extension ApplyRun {
  /// Has the stack forget a device. What it could not, it is asked for again when the adapter is back.
  /// - Parameter isCertain: false when adapter or stack have just gone: a device that the stack then does not
  ///   know is not forgotten, it has merely been put away with its adapter.
  func forget(_ address: BluetoothAddress, on adapter: AdapterID, isCertain: Bool) async {
    let central = central
    let forgotten = await race(.seconds(5), on: clock) { () throws(CentralError) in
      try await central.forget(address, on: adapter)
    }
    if case .value = forgotten, isCertain {
      leftovers.remove(address, on: adapter)
    } else {
      leftovers.insert(address, on: adapter)
    }
  }

  private func isEngaged(_ device: BluetoothAddress) -> Bool { schedule.isEngaged(device) }

  /// Has adapters that are back forget what they could not when they went, also one that the run has done
  /// without since. Done before each listening window, so that nothing is forgotten that was just heard, and
  /// at the run's end. Never waits for an adapter: one that stays away keeps what it has. Not ended by
  /// cancellation.
  func forgetLeftovers() async {
    guard !leftovers.isEmpty else { return }
    await teardown.perform {
      guard let adapters = try? await self.central.adapters() else { return }
      let ready = adapters.filter { $0.state == .ready }.map(\.id)
      // Who is being talked to again is forgotten afterwards.
      for (address, adapter) in await self.leftovers.on(ready) where await !self.isEngaged(address) {
        await self.forget(address, on: adapter, isCertain: true)
      }
    }
  }
}
