package import FoundationEssentials

/// A test scenario for a Bluetooth stack over D-Bus, as data: a sequence of actions, and the facts that must
/// be observed after each before the next. The same scenario runs with the real stack and with the virtual
/// one.
package struct StackScenario: Codable, Sendable {
  /// The subject of the scenario, in one sentence.
  package var summary: String
  /// A property of the adapter's chip, for the lab: `filters duplicates`.
  package var chip: String?
  /// The sensors in the building, numbered from 1.
  package var sensors: [Sensor]
  /// The phases in order.
  package var phases: [Phase]

  /// A sensor and its faults, as the lab's radio names them (`lab/radio/faults.py`).
  package struct Sensor: Codable, Sendable {
    /// It does not accept connection requests.
    package var dead: Bool?
    /// The attribute whose write it refuses, with `rejectCode`.
    package var reject: String?
    /// The ATT error of the refusal.
    package var rejectCode: UInt8?
    /// It refuses subscriptions.
    package var noNotify: Bool?
    /// The number of the request in a connection, of any kind, at which it disconnects instead of responding.
    package var dropAtRequest: Int?
    /// The number of the write in a connection at which it disconnects instead of responding.
    package var dropAtWrite: Int?
    /// The additional time of each response in seconds.
    package var slow: Double?

    private enum CodingKeys: String, CodingKey {
      case dead, reject, slow
      case rejectCode = "reject_code"
      case noNotify = "no_notify"
      case dropAtRequest = "drop_at_request"
      case dropAtWrite = "drop_at_write"
    }
  }

  /// An action, and the facts to wait for.
  package struct Phase: Codable, Sendable {
    /// The name of the phase, and of the reply to its call.
    package var name: String
    /// A call to `org.bluez`.
    package var call: Call?
    /// An action outside of BlueZ: on the adapter, on bluetoothd, on a sensor.
    package var lab: LabEvent?
    /// The facts that must be observed in this phase (`sensor 1 Device1.Connected = true`) before it ends.
    /// The reply to its own call is one of them, unless it is `unanswered`.
    package var until: [String]?
    /// Whether the call gets no reply in this phase.
    package var unanswered: Bool?
    /// How long the phase continues afterwards, in seconds, to include its later effects. The default is 0.5.
    package var settle: Double?
    /// The time limit in seconds. The default is 30.
    package var timeout: Double?
  }

  /// A D-Bus call; the method determines the interface.
  package struct Call: Codable, Sendable {
    /// The label of the object.
    package var object: String
    /// The method, or `Set` for a property.
    package var method: String
    /// The argument of `SetDiscoveryFilter`.
    package var filter: Filter?
    /// The label of the device, the argument of `RemoveDevice`.
    package var device: String?
    /// The value of `WriteValue` as text.
    package var text: String?
    /// The value of `WriteValue` as hex digits.
    package var hex: String?
    /// The type of write of `WriteValue`; the default is `request`.
    package var type: String?
    /// The property of `Set`.
    package var property: String?
    /// The value of `Set`.
    package var on: Bool?
  }

  /// The used part of a discovery filter.
  package struct Filter: Codable, Sendable {
    /// `Transport`.
    package var transport: String?
    /// `DuplicateData`.
    package var duplicateData: Bool?
    /// `RSSI`, in dBm.
    package var rssi: Int16?
  }

  /// An action of the environment.
  package enum LabEvent: String, Codable, Sendable {
    /// Unplugs the adapter.
    case unplug
    /// Plugs the adapter in again.
    case plug
    /// Kills bluetoothd with SIGKILL.
    case killBluetoothd = "kill bluetoothd"
    /// Stops bluetoothd with SIGTERM.
    case stopBluetoothd = "stop bluetoothd"
    /// Starts bluetoothd.
    case startBluetoothd = "start bluetoothd"
    /// Switches sensor 1 off.
    case silenceSensor = "silence sensor 1"
  }

  /// Reads a scenario.
  /// - Throws: If the file cannot be read or is not a scenario.
  package init(contentsOf file: URL) throws {
    self = try JSONDecoder().decode(StackScenario.self, from: Data(contentsOf: file))
  }
}
