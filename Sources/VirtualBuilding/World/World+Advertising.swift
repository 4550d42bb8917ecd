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
    let due: MonotonicInstant
    if let next = nextAdvertisement(of: sensor, after: clock.now) {
      due = next.advanced(by: sensor.generator.duration(in: Self.advertisingDelay))
    } else {
      due = clock.now.advanced(
        by: sensor.generator.duration(in: .milliseconds(1)...radio.advertisingInterval))
    }
    sensors[address] = sensor
    schedule(.advertise(address, turn: sensor.turn), at: due)
  }

  /// A sensor begins to advertise, or to advertise something else.
  func advertisesAnew(_ address: BluetoothAddress) {
    sensors[address]?.advertisesSince = clock.now
  }

  /// When a sensor with an interval of its own advertises next, whether anybody listens or not, but for the random
  /// delay. Others advertise so often that it does not matter: nil.
  func nextAdvertisement(of sensor: SensorState, after instant: MonotonicInstant) -> MonotonicInstant? {
    guard let interval = sensor.firmware.advertisingInterval else { return nil }
    let first = sensor.advertisesSince.advanced(by: .milliseconds(1))
    guard first <= instant else { return first }
    return first.advanced(by: interval * (Int(first.duration(to: instant) / interval) + 1))
  }

  /// The random delay that comes on top of each interval (Bluetooth Core, Vol 6 Part B 4.4.2.2).
  private static let advertisingDelay = Duration.zero...(.milliseconds(10))

  func advertise(_ address: BluetoothAddress, _ turn: Int) {
    guard var sensor = sensors[address], sensor.turn == turn else { return }
    sensor.isTurnPlanned = false
    defer { sensors[address] = sensor }
    // A sensor off the air plans again when it comes back on it.
    guard isAnybodyListening, let payload = sensor.onAir else { return }
    for adapter in adapterOrder where adapterStates[adapter]?.isDiscovering == true {
      guard let mean = sensor.signal.rssi(on: adapter), radio.isInRange(mean + radio.fading) else { continue }
      let rssi = mean + Int.random(in: -radio.fading...radio.fading, using: &sensor.generator)
      let loss = radio.loss(at: rssi)
      guard loss == 0 || !sensor.generator.chance(loss) else { continue }
      emit(
        .advertisement(
          AdvertisingReport(
            adapter: adapter, address: address, rssi: rssi, payload: payload, receivedAt: clock.now))
      )
    }
    sensor.turn += 1
    sensor.isTurnPlanned = true
    let jitter = sensor.generator.duration(in: Self.advertisingDelay)
    let interval = sensor.firmware.advertisingInterval ?? radio.advertisingInterval
    // What has not changed since is passed on so often only.
    let unreported = max(radio.reportInterval - interval, .zero)
    let due =
      nextAdvertisement(of: sensor, after: clock.now.advanced(by: unreported))
      ?? clock.now.advanced(by: interval + unreported)
    schedule(.advertise(address, turn: sensor.turn), at: due.advanced(by: jitter))
  }
}
