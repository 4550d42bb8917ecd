public import Bluetooth
import VirtualTime

/// Advertising and discovery. Nobody advertises into the void: turns are planned only while some adapter
/// discovers, which keeps a quiet building quiet.
extension World {
  /// Starts discovery on an adapter; returns when it runs. Starting twice is one discovery.
  /// - Throws: `adapterUnavailable`, `stackStopped`, `cancelled`.
  public func startDiscovery(on adapter: BluetoothAddress) async throws(LinkError) {
    try checkUsable(adapter)
    guard adapterStates[adapter]?.isDiscovering == false else { return }
    _ = try await perform(.host) { schedule(.completes($0, .success(.done)), after: radio.discoveryStart) }
    try checkUsable(adapter)
    guard adapterStates[adapter]?.isDiscovering == false else { return }
    adapterStates[adapter]?.isDiscovering = true
    emit(.adapters(adapters()))
    for address in sensorOrder { planTurn(of: address, isNew: false) }
  }

  /// Stops discovery on an adapter, also in a cancelled task; returns when it has stopped. Nothing is
  /// heard from the moment of the call.
  public func stopDiscovery(on adapter: BluetoothAddress) async {
    guard adapterStates[adapter]?.isDiscovering == true else { return }
    adapterStates[adapter]?.isDiscovering = false
    emit(.adapters(adapters()))
    _ = try? await perform(cancellable: false, .host) {
      schedule(.completes($0, .success(.done)), after: radio.discoveryStop)
    }
  }

  private var isAnybodyListening: Bool {
    adapterOrder.contains { adapterStates[$0]?.isDiscovering == true }
  }

  /// Plans a sensor's next advertisement. What is new does not wait for the turn that was planned.
  func planTurn(of address: BluetoothAddress, isNew: Bool) {
    guard isAnybodyListening, var sensor = sensors[address], isNew || !sensor.isTurnPlanned else { return }
    sensor.turn += 1
    sensor.isTurnPlanned = true
    let delay = sensor.generator.duration(in: .milliseconds(1)...radio.advertisingInterval)
    sensors[address] = sensor
    schedule(.advertise(address, turn: sensor.turn), after: delay)
  }

  func advertise(_ address: BluetoothAddress, _ turn: Int) {
    guard var sensor = sensors[address], sensor.turn == turn else { return }
    sensor.isTurnPlanned = false
    defer { sensors[address] = sensor }
    // A sensor off the air plans again when it comes back on it.
    guard isAnybodyListening, let payload = sensor.onAir else { return }
    for adapter in adapterOrder where adapterStates[adapter]?.isDiscovering == true {
      guard let mean = sensor.scenario.signal.rssi(on: adapter) else { continue }
      let fading = Int.random(in: -radio.fading...radio.fading, using: &sensor.generator)
      emit(
        .advertisement(
          AdvertisingReport(
            adapter: adapter, address: address, rssi: mean + fading, payload: payload, receivedAt: clock.now))
      )
    }
    sensor.turn += 1
    sensor.isTurnPlanned = true
    let jitter = sensor.generator.duration(in: .zero...(.milliseconds(10)))
    let interval = max(radio.advertisingInterval, radio.reportInterval)
    schedule(.advertise(address, turn: sensor.turn), after: interval + jitter)
  }
}
