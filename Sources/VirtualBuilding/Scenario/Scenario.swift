public import Bluetooth

/// A whole virtual building: what is in it, how its radio behaves, and what goes wrong.
///
/// Everything random follows from `seed`. How fast it runs is not said here: that is a matter of the clock
/// that the `World` is given.
public struct Scenario: Sendable {
  /// What everything random follows from.
  public var seed: UInt64
  /// How the radio behaves.
  public var radio: RadioParameters
  /// The host's adapters.
  public var adapters: [AdapterScenario]
  /// The sensors in the building.
  public var sensors: [SensorScenario]
  /// The WiFi networks that the sensors' own radios hear.
  public var wifiNetworks: [WiFiNetwork]

  /// A building.
  public init(
    seed: UInt64, radio: RadioParameters = .init(), adapters: [AdapterScenario], sensors: [SensorScenario],
    wifiNetworks: [WiFiNetwork] = []
  ) {
    self.seed = seed
    self.radio = radio
    self.adapters = adapters
    self.sensors = sensors
    self.wifiNetworks = wifiNetworks
  }
}

/// One adapter of the virtual host, as it is when the scenario begins.
public struct AdapterScenario: Hashable, Sendable {
  /// Its own address, by which it is known.
  public var address: BluetoothAddress
  /// What the host calls it: `hci0`.
  public var name: String
  /// Whether it is powered.
  public var isPowered: Bool
  /// Whether rfkill blocks it; a blocked adapter is not powered, whatever `isPowered` says.
  public var isBlocked: Bool
  /// Whether it is plugged in.
  public var isPresent: Bool
  /// Where it is; nil where that does not matter: then it hears a sensor as `SensorScenario.signal` says.
  public var place: Place?

  /// An adapter, plugged in and powered unless said otherwise.
  public init(
    address: BluetoothAddress, name: String, isPowered: Bool = true, isBlocked: Bool = false,
    isPresent: Bool = true, place: Place? = nil
  ) {
    self.address = address
    self.name = name
    self.isPowered = isPowered
    self.isBlocked = isBlocked
    self.isPresent = isPresent
    self.place = place
  }
}

/// One sensor in the building.
public struct SensorScenario: Sendable {
  /// Its Bluetooth address, the same in all its lives.
  public var address: BluetoothAddress
  /// Which firmware runs on it.
  public var family: FirmwareFamily
  /// How strongly adapters hear it of which that does not follow from places (`Scenario.signal(of:)`).
  public var signal: Signal
  /// Where it is; nil where that does not matter.
  public var place: Place?
  /// When it is switched on, after the scenario's beginning.
  public var appearsAfter: Duration
  /// What it holds in flash when the scenario begins, by the family's names for it and as people write it; nothing: it
  /// comes from the factory. Must be what the family's `encode` takes.
  public var holds: [String: String]
  /// What its firmware was built with, where that is another beacon than the factory's; of families that have such a thing
  /// (`FirmwareFamily.hasBuiltInBeacon`).
  public var beacon: BuiltInBeacon?
  /// What goes wrong with it.
  public var faults: [ScheduledFault]

  /// A sensor; there from the beginning, new, and without faults unless said otherwise.
  public init(
    address: BluetoothAddress, family: FirmwareFamily = .roboSensor, signal: Signal = .init(base: -60),
    place: Place? = nil, appearsAfter: Duration = .zero, holds: [String: String] = [:],
    beacon: BuiltInBeacon? = nil, faults: [ScheduledFault] = []
  ) {
    self.address = address
    self.family = family
    self.signal = signal
    self.place = place
    self.appearsAfter = appearsAfter
    self.holds = holds
    self.beacon = beacon
    self.faults = faults
  }
}

/// How strongly a sensor is heard on average, before fading: given, or computed from places (`Scenario.signal(of:)`).
public struct Signal: Hashable, Sendable {
  /// On adapters that are not named; nil: these do not hear it, and no link is made. dBm.
  public var base: Int?
  /// On adapters that are named, by adapter address. dBm.
  public var perAdapter: [BluetoothAddress: Int]

  /// A signal.
  public init(base: Int?, perAdapter: [BluetoothAddress: Int] = [:]) {
    self.base = base
    self.perAdapter = perAdapter
  }

  /// The mean RSSI on an adapter in dBm, or nil when it is out of range.
  public func rssi(on adapter: BluetoothAddress) -> Int? { perAdapter[adapter] ?? base }
}

/// A WiFi network, as a sensor's own radio hears it.
public struct WiFiNetwork: Hashable, Sendable {
  /// Its name; up to 32 bytes, and any of them may be a comma.
  public var ssid: String
  /// Its strength at the sensor, dBm.
  public var rssi: Int

  /// A network.
  public init(ssid: String, rssi: Int) {
    self.ssid = ssid
    self.rssi = rssi
  }
}
