package import Bluetooth
import Model

/// The Firefly's firmware (docs/internals/protocols.md, "Firefly"). It sleeps most of the time and advertises for a
/// short time when it wakes up. It accepts four bytes without response and then ends the link itself. It can
/// be provisioned again at any time.
package struct FireflyFirmware: Firmware {
  /// The four bytes by name, and whether any were received.
  package private(set) var flash: Flash
  /// When the current bytes were received; nil if that was before the scenario.
  package private(set) var takenAt: MonotonicInstant?
  private var faults = FaultsInForce()
  private var isAwake = false
  private var isConnected = false
  private var isLeaving = false

  private static let leave = FirmwareTimer("leave")
  private static let wakeUp = FirmwareTimer("wake_up")
  private static let fallAsleep = FirmwareTimer("fall_asleep")

  /// Creates a Firefly in factory state, or one that was configured before.
  package init(conditions: FirmwareConditions = .init()) {
    flash = Flash(values: conditions.held, isSaved: !conditions.held.isEmpty)
  }

  /// The service, which Bluetooth keyboards have too, and the name; nil while it sleeps.
  package var advertising: AdvertisingPayload? {
    guard isAwake else { return nil }
    return AdvertisingPayload(
      isConnectable: true, localName: FireflyGATT.localName, serviceUUIDs: [FireflyGATT.service])
  }

  /// False if it hangs.
  package var isAnswering: Bool { !(isConnected && faults.contains(.own(.diesWhenConnected))) }

  package var services: [ServiceDefinition] {
    [.init(FireflyGATT.service, [.init(FireflyGATT.message, .writeWithoutResponse)])]
  }

  package mutating func handle(
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

/// The Firefly's names and numbers, defined independently of the engine's profile.
package enum FireflyGATT {
  /// Local name [A].
  package static let localName = "Firefl"
  /// Its service [A]: BLE-MIDI's.
  package static let service: BluetoothUUID = "03B80E5A-EDE8-4B33-A751-6CE34EC4C700"
  /// Value, control, elapsed, range: write without response, four bytes [A].
  package static let message: BluetoothUUID = "7772E5DB-3868-4112-A1A9-F2669D106BF3"

  /// How long it advertises, at the usual interval, before it sleeps again. Half a second suffices from its
  /// discovery to the write [assumed].
  package static let awakeFor = Duration.milliseconds(1500)
  /// How long it sleeps [assumed].
  package static let asleepFor = Duration.seconds(3)
  /// The time from the write to its disconnect: one or two connection intervals of 30 to 50 ms [assumed].
  static let leavesAfter = Duration.milliseconds(30)...(.milliseconds(100))
}

extension FamilyFault {
  /// The Firefly accepts the write and keeps the link.
  package static let staysConnected = Self("stays_connected")
  /// The Firefly hangs when a connection is made: it keeps the link and does not respond.
  package static let diesWhenConnected = Self("dies_when_connected")
  /// The Firefly ends the link normally when it is written to, without storing the value. To a host this
  /// looks like success.
  package static let dropsBeforeWrite = Self("drops_before_write")
}

extension FirmwareFamily {
  package static let firefly = FirmwareFamily(
    name: "firefly",
    settings: ["value", "control", "elapsed", "range"].map { name in
      FirmwareSetting(
        name, FireflyGATT.message, "a whole number from 0 to 255", isComputed: name == "elapsed"
      ) { UInt8($0).map { [$0] } }
    },
    faults: [
      .init("stays_connected", .own(.staysConnected)),
      .init("dies_when_connected", .own(.diesWhenConnected)),
      .init("drops_before_write", .own(.dropsBeforeWrite)),
    ],
    oracle: FirmwareOracle(.perAction, proofs: [.selfDisconnect])
  ) { FireflyFirmware(conditions: $0) }
}
