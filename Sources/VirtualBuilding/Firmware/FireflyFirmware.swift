public import Bluetooth
public import VirtualTime

/// The Firefly's firmware (PROTOCOLS §3): it sleeps most of the time, wakes up for a moment in which it advertises, takes
/// four bytes without response, and then ends the link itself. It can be provisioned again at any time.
public struct FireflyFirmware: Firmware {
  /// The four bytes by name, and whether there were any.
  public private(set) var flash: Flash
  /// When the bytes came that it holds; nil: not in this life.
  public private(set) var takenAt: MonotonicInstant?
  private var faults = FaultsInForce()
  private var isAwake = false
  private var isConnected = false
  private var isLeaving = false

  private static let leave = FirmwareTimer("leave")
  private static let wakeUp = FirmwareTimer("wake_up")
  private static let fallAsleep = FirmwareTimer("fall_asleep")

  /// A Firefly from the factory, or one that holds what it was told in an earlier life.
  public init(conditions: FirmwareConditions = .init()) {
    flash = Flash(values: conditions.held, isSaved: !conditions.held.isEmpty)
  }

  /// The service, which it shares with every Bluetooth keyboard, and its name; nothing while it sleeps.
  public var advertising: AdvertisingPayload? {
    guard isAwake else { return nil }
    return AdvertisingPayload(
      isConnectable: true, localName: FireflyGATT.localName, serviceUUIDs: [FireflyGATT.service])
  }

  /// Unless it has died.
  public var isAnswering: Bool { !(isConnected && faults.contains(.own(.diesWhenConnected))) }

  /// One service with one characteristic.
  public var services: [ServiceDefinition] {
    [.init(FireflyGATT.service, [.init(FireflyGATT.message, .writeWithoutResponse)])]
  }

  /// Takes notice of something, and says what it does about it.
  public mutating func handle(
    _ event: FirmwareEvent, at instant: MonotonicInstant, generator: inout SeededGenerator
  ) -> [FirmwareEffect] {
    switch event {
    case .started, .timer(Self.wakeUp):
      isAwake = true
      return [.setTimer(Self.fallAsleep, FireflyGATT.awakeFor)]
    case .timer(Self.fallAsleep):
      isAwake = false
      return [.setTimer(Self.wakeUp, FireflyGATT.asleepFor)]
    case .connected(let faults):
      self.faults = FaultsInForce(faults)
      isConnected = true
      isLeaving = false
    case .disconnected:
      isConnected = false
    case .write(_, let characteristic, let value):
      guard characteristic == FireflyGATT.message, isAnswering, !isLeaving else { break }
      return take(value, at: instant, &generator)
    case .timer(Self.leave) where isLeaving:
      return [.disconnect]
    case .read(let request, _) where isAnswering:
      return [.refuse(request, ATTCode.readNotPermitted)]
    case .subscribe(let request, _, _) where isAnswering:
      return [.refuse(request, ATTCode.requestNotSupported)]
    case .timer, .button, .read, .subscribe:
      break
    }
    return []
  }

  private mutating func take(
    _ value: [UInt8], at instant: MonotonicInstant, _ generator: inout SeededGenerator
  ) -> [FirmwareEffect] {
    guard value.count == 4, faults.rejection(of: FireflyGATT.message) == nil else { return [] }
    if faults.contains(.own(.dropsBeforeWrite)) { return [.disconnect] }
    let fate = faults.nextSetting().fate
    if fate == .lost { return [.loseLink] }
    flash.values = ["value": [value[0]], "control": [value[1]], "elapsed": [value[2]], "range": [value[3]]]
    flash.isSaved = true
    takenAt = instant
    if fate == .takenAndLost { return [.loseLink] }
    if faults.contains(.own(.staysConnected)) { return [] }
    isLeaving = true
    return [.setTimer(Self.leave, generator.duration(in: FireflyGATT.leavesAfter))]
  }
}

/// The Firefly's names and numbers, told independently of the engine's profile.
public enum FireflyGATT {
  /// Local name [A].
  public static let localName = "Firefl"
  /// Its service [A]: BLE-MIDI's.
  public static let service: BluetoothUUID = "03B80E5A-EDE8-4B33-A751-6CE34EC4C700"
  /// Value, control, elapsed, range: write without response, four bytes [A].
  public static let message: BluetoothUUID = "7772E5DB-3868-4112-A1A9-F2669D106BF3"

  /// How long it advertises, as often as others do, before it sleeps again: long enough to be heard and connected to,
  /// which takes half a second from its discovery to the write [assumed].
  public static let awakeFor = Duration.milliseconds(1500)
  /// How long it sleeps [assumed].
  public static let asleepFor = Duration.seconds(3)
  /// From the write to its disconnect: one or two connection intervals of 30 to 50 ms [assumed].
  static let leavesAfter = Duration.milliseconds(30)...(.milliseconds(100))
}

extension FamilyFault {
  /// A Firefly takes what is written, and keeps the link.
  public static let staysConnected = Self("stays_connected")
  /// One that hangs from the moment of the connection: it holds the link, and says nothing.
  public static let diesWhenConnected = Self("dies_when_connected")
  /// One that ends the link in order when it is written to, and has taken nothing: for a host, a success.
  public static let dropsBeforeWrite = Self("drops_before_write")
}

extension FirmwareFamily {
  /// The Firefly.
  public static let firefly = FirmwareFamily(
    name: "firefly",
    settings: ["value", "control", "elapsed", "range"].map { name in
      FirmwareSetting(name, FireflyGATT.message, "a whole number from 0 to 255") { UInt8($0).map { [$0] } }
    },
    faults: [
      .init("stays_connected", .own(.staysConnected)),
      .init("dies_when_connected", .own(.diesWhenConnected)),
      .init("drops_before_write", .own(.dropsBeforeWrite)),
    ]
  ) { FireflyFirmware(conditions: $0) }
}
