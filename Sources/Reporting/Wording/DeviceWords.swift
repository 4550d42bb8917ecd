import Provisioning

/// What people call a device of a family, and how they see on the device itself what it is doing.
struct DeviceWords {
  /// What to call one.
  let noun: String
  /// How to get it to wait for provisioning, to follow a comma or "and".
  let makeItWait: String
  /// How to see that it waits for provisioning, as a condition at the beginning of a sentence.
  let stillWaiting: String
  /// How to see that it does not, likewise.
  let notWaiting: String
  /// What to know about addresses on its label, or nil.
  let label: String?

  /// The words for a family; a plain set for one that has none of its own.
  init(_ profile: ProfileID) {
    switch profile {
    case "robo-sensor":
      noun = "sensor"
      makeItWait = "put it into provisioning mode (the LED pulses white)"
      stillWaiting = "If its LED pulses white"
      notWaiting = "If its LED does not pulse white"
      label = """
        Compare the address with the label; on some boards the label shows the base address, and the Bluetooth \
        address is 2 higher.
        """
    default:
      noun = "device"
      makeItWait = "put it into provisioning mode"
      stillWaiting = "If it is still in provisioning mode"
      notWaiting = "If it is not in provisioning mode"
      label = nil
    }
  }
}

extension Stage {
  /// What is done in this stage, to follow "while".
  func activity(_ setting: SettingName?) -> String {
    switch self {
    case .connect: "connecting"
    case .discover: "looking for its services"
    case .ready: "waiting until it is ready"
    case .write: "writing " + (setting?.words ?? "its settings")
    case .save: "asking it to save"
    case .verify: "waiting for its beacon"
    }
  }
}

extension SettingName {
  /// What people call this setting.
  var words: String {
    switch self {
    case .minor: "the minor ID"
    case .roomName: "the room name"
    case .wifiSSID: "the WiFi name"
    case .wifiPassword: "the WiFi password"
    default: "the setting \(rawValue.visible)"
    }
  }
}

/// The ATT errors a device may answer with (Bluetooth Core, Vol 3 Part F 3.4.1.1).
enum ATTError {
  /// Number and meaning: `ATT error 0x0D, invalid length`.
  static func words(_ code: UInt8) -> String {
    let hex = String(code, radix: 16, uppercase: true)
    return "ATT error 0x" + (hex.count == 1 ? "0" : "") + hex + (meaning(code).map { ", " + $0 } ?? "")
  }

  private static func meaning(_ code: UInt8) -> String? {
    switch code {
    case 0x01: "invalid handle"
    case 0x02: "read not permitted"
    case 0x03: "write not permitted"
    case 0x04: "invalid PDU"
    case 0x05: "insufficient authentication"
    case 0x06: "request not supported"
    case 0x07: "invalid offset"
    case 0x08: "insufficient authorization"
    case 0x0A: "attribute not found"
    case 0x0C: "encryption key too short"
    case 0x0D: "invalid length"
    case 0x0E: "unlikely error"
    case 0x0F: "insufficient encryption"
    case 0x11: "insufficient resources"
    case 0x13: "value not allowed"
    case 0x80...0x9F: "an error of the device's own"
    default: nil
    }
  }
}
