public import FoundationEssentials

/// A story to be told to a Bluetooth stack over D-Bus, as data: what is done, one thing after the other, and what has to be
/// seen of each before the next. The same one is told to the real stack and to the virtual one.
public struct Story: Codable, Sendable {
  /// What it is about, in a sentence.
  public var story: String
  /// What is special about the adapter's chip, for the lab: `filters duplicates`.
  public var chip: String?
  /// The sensors in the building, numbered from 1.
  public var sensors: [Sensor]
  /// What happens.
  public var phases: [Phase]

  /// One sensor, and what is wrong with it, in the words of the lab's radio (`lab/radio/faults.py`).
  public struct Sensor: Codable, Sendable {
    /// Does not follow a connection request.
    public var dead: Bool?
    /// Which attribute it refuses to have written, with `rejectCode`.
    public var reject: String?
    /// The ATT error for that.
    public var rejectCode: UInt8?
    /// Refuses subscriptions.
    public var noNotify: Bool?
    /// At which request of a connection, of whatever kind, it disconnects instead of answering.
    public var dropAtRequest: Int?
    /// At which write of a connection it disconnects instead of answering.
    public var dropAtWrite: Int?
    /// How many seconds longer each of its answers takes.
    public var slow: Double?

    private enum CodingKeys: String, CodingKey {
      case dead, reject, slow
      case rejectCode = "reject_code"
      case noNotify = "no_notify"
      case dropAtRequest = "drop_at_request"
      case dropAtWrite = "drop_at_write"
    }
  }

  /// One thing that is done, and what is waited for.
  public struct Phase: Codable, Sendable {
    /// Its name, and the name of its call's answer.
    public var name: String
    /// A call to `org.bluez`.
    public var call: Call?
    /// Something that somebody else does: to the adapter, to bluetoothd, to a sensor.
    public var lab: LabEvent?
    /// Facts that must have been seen in this phase (`sensor 1 Device1.Connected = true`) before it ends. The answer to its
    /// own call is one of them, unless it is `unanswered`.
    public var until: [String]?
    /// Whether the call is not answered in this phase.
    public var unanswered: Bool?
    /// How long it goes on after that, in seconds, so that what belongs to it is in it. 0.5 unless said otherwise.
    public var settle: Double?
    /// How long it may take, in seconds. 30 unless said otherwise.
    public var patience: Double?
  }

  /// A call; the interface follows from the method.
  public struct Call: Codable, Sendable {
    /// The label of the object.
    public var object: String
    /// The method, or `Set` for a property.
    public var method: String
    /// For `SetDiscoveryFilter`.
    public var filter: Filter?
    /// The label of the device, for `RemoveDevice`.
    public var device: String?
    /// The value, for `WriteValue`.
    public var text: String?
    /// The value as hex digits, for `WriteValue`.
    public var hex: String?
    /// Which kind of write, for `WriteValue`; `request` unless said otherwise.
    public var type: String?
    /// Which property, for `Set`.
    public var property: String?
    /// Its value, for `Set`.
    public var on: Bool?
  }

  /// What of a discovery filter is used here.
  public struct Filter: Codable, Sendable {
    /// `Transport`.
    public var transport: String?
    /// `DuplicateData`.
    public var duplicateData: Bool?
    /// `RSSI`, dBm.
    public var rssi: Int16?
  }

  /// What the surroundings do.
  public enum LabEvent: String, Codable, Sendable {
    /// Pulls the adapter out.
    case unplug
    /// Plugs it in again.
    case plug
    /// Ends bluetoothd with SIGKILL.
    case killBluetoothd = "kill bluetoothd"
    /// Ends bluetoothd with SIGTERM.
    case stopBluetoothd = "stop bluetoothd"
    /// Starts bluetoothd.
    case startBluetoothd = "start bluetoothd"
    /// Takes the battery out of sensor 1.
    case silenceSensor = "silence sensor 1"
  }

  /// Reads a story.
  /// - Throws: when the file cannot be read or is not a story.
  public init(contentsOf file: URL) throws {
    self = try JSONDecoder().decode(Story.self, from: Data(contentsOf: file))
  }
}
