public import Bluetooth
import VirtualTime

/// Advertising and discovery. Nobody advertises into the void: turns are planned only while some adapter
/// discovers, which keeps a quiet building quiet.
extension World {
  /// Starts discovery on an adapter; returns when it runs. Starting twice is one discovery.
  /// - Throws: `adapterUnavailable`, `stackStopped`, `cancelled`.
  public func startDiscovery(on adapter: BluetoothAddress) async throws(LinkError) {
    try checkUsable(adapter)
    guard !isDiscovering(adapter) else { return }
    _ = try await perform(.host) { schedule(.completes($0, .success(.done)), after: radio.discoveryStart) }
    try checkUsable(adapter)
    guard !isDiscovering(adapter), let number = adapterOrder.firstIndex(of: adapter) else { return }
    setDiscovering(true, adapter)
    emit(.adapters(adapters()))
    for sensor in audible[number] { planTurn(of: sensor, isNew: false) }
  }

  /// Stops discovery on an adapter, also in a cancelled task; returns when it has stopped. Nothing is
  /// heard from the moment of the call.
  public func stopDiscovery(on adapter: BluetoothAddress) async {
    guard isDiscovering(adapter) else { return }
    setDiscovering(false, adapter)
    emit(.adapters(adapters()))
    _ = try? await perform(cancellable: false, .host) {
      schedule(.completes($0, .success(.done)), after: radio.discoveryStop)
    }
  }

  /// Whether an adapter discovers.
  func isDiscovering(_ adapter: BluetoothAddress) -> Bool {
    adapterOrder.firstIndex(of: adapter).map { discovering[$0] } ?? false
  }

  func setDiscovering(_ isDiscovering: Bool, _ adapter: BluetoothAddress) {
    if let number = adapterOrder.firstIndex(of: adapter) { discovering[number] = isDiscovering }
  }

  /// Whether anybody would hear a sensor.
  private func isHeard(_ sensor: Int) -> Bool { sensors[sensor].ears.contains { discovering[$0.adapter] } }

  /// Plans a sensor's next advertisement. What is new does not wait for the turn that was planned.
  func planTurn(of address: BluetoothAddress, isNew: Bool) {
    if let sensor = sensors.number(of: address) { planTurn(of: sensor, isNew: isNew) }
  }

  private func planTurn(of sensor: Int, isNew: Bool) {
    guard isHeard(sensor), isNew || !sensors[sensor].isTurnPlanned else { return }
    let now = clock.now
    let due: MonotonicInstant
    if let next = nextAdvertisement(of: sensors[sensor], after: now) {
      due = next.advanced(by: sensors[sensor].generator.duration(in: Self.advertisingDelay))
    } else {
      due = now.advanced(
        by: sensors[sensor].generator.duration(in: .milliseconds(1)...radio.advertisingInterval))
    }
    scheduleTurn(of: sensor, at: due)
  }

  private func scheduleTurn(of sensor: Int, at due: MonotonicInstant) {
    sensors[sensor].turn += 1
    sensors[sensor].isTurnPlanned = true
    // Who advertises rarely keeps to its own instants; nobody notices those of others.
    let isOften = sensors[sensor].advertisingInterval == nil
    schedule(
      .advertise(sensor, turn: sensors[sensor].turn),
      at: isOften ? due.roundedUp(to: radio.reportGrain) : due)
  }

  /// A sensor begins to advertise, or to advertise something else.
  func advertisesAnew(_ address: BluetoothAddress) {
    sensors[address]?.advertisesSince = clock.now
  }

  /// When a sensor with an interval of its own advertises next, whether anybody listens or not, but for the random
  /// delay. Others advertise so often that it does not matter: nil.
  func nextAdvertisement(of sensor: SensorState, after instant: MonotonicInstant) -> MonotonicInstant? {
    guard let interval = sensor.advertisingInterval else { return nil }
    let first = sensor.advertisesSince.advanced(by: .milliseconds(1))
    guard first <= instant else { return first }
    return first.advanced(by: interval * (Int(first.duration(to: instant) / interval) + 1))
  }

  /// The random delay that comes on top of each interval (Bluetooth Core, Vol 6 Part B 4.4.2.2).
  private static let advertisingDelay = Duration.zero...(.milliseconds(10))

  func advertise(_ sensor: Int, _ turn: Int) {
    guard sensors[sensor].turn == turn else { return }
    sensors[sensor].isTurnPlanned = false
    // A sensor off the air plans again when it comes back on it; one that nobody hears, when somebody listens.
    guard isHeard(sensor), let payload = sensors[sensor].onAir else { return }
    let now = clock.now
    let address = sensors[sensor].scenario.address
    for ear in sensors[sensor].ears where discovering[ear.adapter] {
      let rssi = ear.rssi + Int.random(in: -radio.fading...radio.fading, using: &sensors[sensor].generator)
      let loss = radio.loss(at: rssi)
      guard loss == 0 || !sensors[sensor].generator.chance(loss) else { continue }
      emit(
        .advertisement(
          AdvertisingReport(
            adapter: adapterOrder[ear.adapter], address: address, rssi: rssi, payload: payload,
            receivedAt: now)))
    }
    let jitter = sensors[sensor].generator.duration(in: Self.advertisingDelay)
    let interval = sensors[sensor].advertisingInterval ?? radio.advertisingInterval
    // What has not changed since is passed on so often only.
    let unreported = max(radio.reportInterval - interval, .zero)
    let due =
      nextAdvertisement(of: sensors[sensor], after: now.advanced(by: unreported))
      ?? now.advanced(by: interval + unreported)
    scheduleTurn(of: sensor, at: due.advanced(by: jitter))
  }
}

extension MonotonicInstant {
  /// The first instant from this one on that is a whole number of grains after the clock's zero. A grain is a part of
  /// a second.
  fileprivate func roundedUp(to grain: Duration) -> Self {
    let (seconds, attoseconds) = sinceZero.components
    let unit = grain.components.attoseconds
    guard unit > 0 else { return self }
    let units = (attoseconds + unit - 1) / unit
    return Self(sinceZero: Duration(secondsComponent: seconds, attosecondsComponent: units * unit))
  }
}
