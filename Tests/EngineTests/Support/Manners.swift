import Bluetooth
import VirtualBuilding

/// Behaviours of a sensor that its specification permits, beyond the faults of the virtual building.
enum Manner: Hashable, Sendable {
  /// Notifies this as soon as a subscription exists.
  case saysOnSubscribing(String)
  /// Notifies this after the confirmation of the `n`th write of a setting, counted from 1.
  case says(String, afterWrite: Int)
  /// Notifies this when `SAVE` arrives, before its usual response.
  case saysOnSave(String)
  /// Loses the link this long after the confirmation of the `n`th write.
  case leaves(afterWrite: Int, in: Duration)
  /// Notifies `saved`, ends the link, and advertises in provisioning mode this long before it restarts.
  case lingers(Duration)
  /// Notifies `saved` and stays connected until the host disconnects.
  case keepsLink
  /// Notifies `saved`, restarts, and has lost everything.
  case forgets
  /// Notifies `saved` instead of confirming `SAVE`, ends the link at once and is never received again.
  case saysAndIsGone
  /// Takes this long over `SAVE`, without a notification.
  case savesAfter(Duration)
  /// Is configured with this minor from the start.
  case isBeacon(minor: UInt16)
}

/// A Robo Sensor with unusual behaviour.
struct ManneredFirmware: Firmware {
  private var inner: RoboSensorFirmware
  private let manner: Manner
  private let radio: RadioParameters
  private var isLingering = false
  private var waitsForEnd = false
  private var writes = 0

  private static let leaves = FirmwareTimer("leaves")
  private static let lingered = FirmwareTimer("lingered")
  private static let saves = FirmwareTimer("saves")

  init(_ manner: Manner, _ conditions: FirmwareConditions) {
    self.manner = manner
    inner = RoboSensorFirmware(conditions: conditions)
    radio = conditions.radio
  }

  var services: [ServiceDefinition] { inner.services }
  var flash: Flash { inner.flash }

  var advertising: AdvertisingPayload? {
    if case .isBeacon(let minor) = manner {
      let beacon = IBeacon(
        uuid: RoboSensorGATT.beaconUUID, major: RoboSensorGATT.beaconMajor, minor: minor, measuredPower: -59)
      return AdvertisingPayload(
        isConnectable: false, manufacturerData: [IBeacon.company: beacon.manufacturerData])
    }
    return isLingering
      ? AdvertisingPayload(isConnectable: true, localName: RoboSensorGATT.localName) : inner.advertising
  }

  mutating func handle(
    _ event: FirmwareEvent, at instant: MonotonicInstant, generator: inout SeededGenerator
  ) -> [FirmwareEffect] {
    if case .isBeacon = manner { return [] }
    if let own = handleOwn(event) { return own }
    let effects = inner.handle(event, at: instant, generator: &generator)
    switch (manner, event) {
    case (.saysOnSubscribing(let text), .subscribe):
      return effects + [.say(text)]
    case (.saysOnSave(let text), .write(_, RoboSensorGATT.command, _)):
      return [.say(text)] + effects
    case (_, .write(_, let characteristic, _)) where characteristic != RoboSensorGATT.command:
      writes += 1
      return effects + afterWrite()
    case (.lingers(let duration), .timer) where effects.contains(where: \.isRestart):
      isLingering = true
      return [.disconnect, .setTimer(Self.lingered, duration)]
    case (.keepsLink, .timer) where effects.contains(where: \.isRestart):
      waitsForEnd = true
      return []
    case (.saysAndIsGone, .write(_, RoboSensorGATT.command, _)):
      return [.say("saved"), .disconnect, .restart(takes: nil)]
    case (.savesAfter(let duration), .write(let request?, RoboSensorGATT.command, _)):
      return [.answer(request, []), .setTimer(Self.saves, duration)]
    default:
      return effects
    }
  }

  private func afterWrite() -> [FirmwareEffect] {
    switch manner {
    case .says(let text, afterWrite: writes): [.say(text)]
    case .leaves(afterWrite: writes, let delay): [.setTimer(Self.leaves, delay)]
    default: []
    }
  }

  /// Hardware that does not depend on the firmware below.
  private mutating func handleOwn(_ event: FirmwareEvent) -> [FirmwareEffect]? {
    switch (manner, event) {
    case (_, .connected):
      writes = 0
      return nil
    case (_, .timer(Self.leaves)):
      return [.loseLink]
    case (_, .timer(Self.lingered)), (_, .timer(Self.saves)):
      isLingering = false
      return [.restart(takes: radio.restart.lowerBound)]
    case (.keepsLink, .disconnected) where waitsForEnd:
      waitsForEnd = false
      return [.restart(takes: radio.restart.lowerBound)]
    case (.forgets, .write(let request?, RoboSensorGATT.command, _)):
      return [.say("saved"), .answer(request, []), .setTimer(Self.saves, .milliseconds(200))]
    default:
      return nil
    }
  }
}

extension FirmwareEffect {
  fileprivate static func say(_ text: String) -> Self { .notify(RoboSensorGATT.status, Array(text.utf8)) }

  fileprivate var isRestart: Bool { if case .restart = self { true } else { false } }
}

extension FirmwareFamily {
  /// A Robo Sensor with this behaviour.
  static func robo(_ manner: Manner) -> Self {
    FirmwareFamily(name: "robo-sensor") { ManneredFirmware(manner, $0) }
  }
}
