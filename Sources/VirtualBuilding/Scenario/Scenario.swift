package import Bluetooth

/// A complete virtual building: its devices, the behaviour of its radio, and its faults.
///
/// All random values follow from `seed`. The speed depends on the clock of the `World`.
package struct Scenario: Sendable {
  /// The seed of all random values.
  package var seed: UInt64
  package var radio: RadioParameters
  /// The adapters of all hosts.
  package var adapters: [AdapterScenario]
  /// The other computers whose adapters are used.
  package var hosts: [HostScenario]
  package var sensors: [SensorScenario]
  /// The WiFi networks that the sensors' WiFi radios receive.
  package var wifiNetworks: [WiFiNetwork]
  /// The BlueZ and the kernel of all hosts.
  package var bluez = BlueZVersion.debian12 {
    didSet { radio.deadAttempt = bluez.deadAttempt }
  }

  package init(
    seed: UInt64, radio: RadioParameters = .init(), adapters: [AdapterScenario], hosts: [HostScenario] = [],
    sensors: [SensorScenario], wifiNetworks: [WiFiNetwork] = []
  ) {
    self.seed = seed
    self.radio = radio
    self.adapters = adapters
    self.hosts = hosts
    self.sensors = sensors
    self.wifiNetworks = wifiNetworks
  }

  /// The strength with which the adapters receive a sensor, before fading. An explicit value of
  /// `SensorScenario.signal` for an adapter has precedence, then the positions of both if they are known,
  /// then the sensor's `base`.
  ///
  /// It depends only on the seed and the two addresses, not on other devices in the building.
  package func signal(of sensor: SensorScenario) -> SignalStrength {
    guard let place = sensor.place else { return sensor.signal }
    var signal = sensor.signal
    let chance = SeededGenerator(seed: seed).split("shadowing").split(sensor.address.rawValue)
    for adapter in adapters {
      guard let end = adapter.place, signal.perAdapter[adapter.address] == nil else { continue }
      var shadow = chance.split(adapter.address.rawValue)
      signal.perAdapter[adapter.address] = radio.meanRSSI(
        from: place, to: end, shadow: shadow.normal() * radio.shadowing)
    }
    return signal
  }
}

/// Another computer whose adapters are used, and the network to it.
package struct HostScenario: Hashable, Sendable {
  package var name: HostName
  /// The least time that a message takes in each direction.
  package var delay: Duration
  /// By how much a message takes longer at most.
  package var jitter: Duration

  package init(_ name: HostName, delay: Duration = .zero, jitter: Duration = .zero) {
    (self.name, self.delay, self.jitter) = (name, delay, jitter)
  }
}

/// The initial state of an adapter of a virtual host.
package struct AdapterScenario: Hashable, Sendable {
  /// The adapter's own address, which differs from those of all adapters.
  package var address: BluetoothAddress
  /// The computer that has it; nil for this one.
  package var host: HostName?
  /// The host's name for it: `hci0`.
  package var name: String
  package var isPowered: Bool
  /// Whether rfkill blocks it. A blocked adapter is not powered, whatever `isPowered` is.
  package var isBlocked: Bool
  /// Whether it is plugged in.
  package var isPresent: Bool
  /// The position. If nil, `SensorScenario.signal` determines the strength.
  package var place: Place?

  /// Creates an adapter; by default it is plugged in and powered.
  package init(
    address: BluetoothAddress, on host: HostName? = nil, name: String, isPowered: Bool = true,
    isBlocked: Bool = false, isPresent: Bool = true, place: Place? = nil
  ) {
    self.address = address
    self.host = host
    self.name = name
    self.isPowered = isPowered
    self.isBlocked = isBlocked
    self.isPresent = isPresent
    self.place = place
  }
}

package struct SensorScenario: Sendable {
  /// The Bluetooth address. It does not change on a restart.
  package var address: BluetoothAddress
  package var family: FirmwareFamily
  /// The strength on adapters for which positions do not determine it (`Scenario.signal(of:)`).
  package var signal: SignalStrength
  /// The position; nil if unknown.
  package var place: Place?
  /// When it is switched on, after the start of the scenario.
  package var appearsAfter: Duration
  /// The initial flash values, by the family's setting names and as people write them; empty for factory
  /// state. They must be valid for the family's `encode`.
  package var holds: [String: String]
  /// The built-in beacon if it differs from the factory's; only for families with
  /// `FirmwareFamily.hasBuiltInBeacon`.
  package var beacon: BuiltInBeacon?
  /// What its label says, if that differs from other devices' (`FirmwareConditions.label`).
  package var label: [String: String]
  package var faults: [ScheduledFault]

  /// Creates a sensor; by default it is of the first family, present from the start, new and without faults.
  package init(
    address: BluetoothAddress, family: FirmwareFamily = FirmwareFamily.all[0],
    signal: SignalStrength = .init(base: -60), place: Place? = nil, appearsAfter: Duration = .zero,
    holds: [String: String] = [:], beacon: BuiltInBeacon? = nil, label: [String: String] = [:],
    faults: [ScheduledFault] = []
  ) {
    self.address = address
    self.family = family
    self.signal = signal
    self.place = place
    self.appearsAfter = appearsAfter
    self.holds = holds
    self.beacon = beacon
    self.label = label
    self.faults = faults
  }
}

/// The mean strength of a sensor before fading, given or computed from positions (`Scenario.signal(of:)`).
package struct SignalStrength: Hashable, Sendable {
  /// The strength in dBm on all other adapters; nil if they cannot receive the sensor.
  package var base: Int?
  /// The strength in dBm by adapter address.
  package var perAdapter: [BluetoothAddress: Int]

  package init(base: Int?, perAdapter: [BluetoothAddress: Int] = [:]) {
    self.base = base
    self.perAdapter = perAdapter
  }

  /// The mean RSSI on an adapter in dBm; nil if it is out of range.
  package func rssi(on adapter: BluetoothAddress) -> Int? { perAdapter[adapter] ?? base }
}
