import Hex
import Model

extension Stage {
  /// The action of this stage, for use after "while".
  /// - Parameter hasBeacon: whether the beacon of the device proves what it holds.
  func activity(_ setting: SettingName?, _ titles: SettingTitles, hasBeacon: Bool) -> String {
    switch self {
    case .search: "searching for the device"
    case .connect: "connecting"
    case .discover: "reading the list of services"
    case .ready: "waiting for the device to be ready"
    case .read: "reading " + (setting.map(titles.words) ?? "the settings")
    case .write: "writing " + (setting.map(titles.words) ?? "the settings")
    case .save: "waiting for the answer to the save request"
    case .verify: hasBeacon ? "waiting for the beacon" : "waiting for its report that the settings work"
    }
  }

  /// The same in at most 18 columns, for a table.
  func shortActivity(_ setting: SettingName?, _ titles: SettingTitles, hasBeacon: Bool) -> String {
    switch self {
    case .search: "searching"
    case .connect: "connecting"
    case .discover: "discovering"
    case .ready: "waiting for ready"
    case .read: "reading " + (setting.map(titles.short) ?? "settings")
    case .write: "writing " + (setting.map(titles.short) ?? "settings")
    case .save: "saving"
    case .verify: hasBeacon ? "awaiting beacon" : "awaiting report"
    }
  }
}

/// The ATT errors that a device may answer with (Bluetooth Core, Vol 3 Part F 3.4.1.1).
enum ATTError {
  /// Number and meaning: `ATT error 0x0D, invalid length`.
  static func words(_ code: UInt8) -> String {
    "ATT error 0x" + code.hex(digits: 2, uppercase: true) + (meaning(code).map { ", " + $0 } ?? "")
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
    case 0x80...0x9F: "defined by the device"
    default: nil
    }
  }
}
