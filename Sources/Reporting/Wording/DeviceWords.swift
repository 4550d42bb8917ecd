import Families
import Hex
import Model

extension DeviceWords {
  /// The words for a family; default words for a family that this version does not know.
  init(_ profile: ProfileID) {
    self = DeviceProfiles[profile]?.words ?? DeviceWords()
  }
}

extension Stage {
  /// The action of this stage, for use after "while".
  func activity(_ setting: SettingName?) -> String {
    switch self {
    case .search: "searching for it"
    case .connect: "connecting"
    case .discover: "reading the list of its services"
    case .ready: "waiting until it is ready"
    case .read: "reading " + (setting?.words ?? "its settings")
    case .write: "writing " + (setting?.words ?? "its settings")
    case .save: "waiting for its answer to the save request"
    case .verify: "waiting for its beacon"
    }
  }
}

extension Stage {
  /// The same in at most 18 columns, for a table.
  func shortActivity(_ setting: SettingName?) -> String {
    switch self {
    case .search: "searching"
    case .connect: "connecting"
    case .discover: "discovering"
    case .ready: "waiting for ready"
    case .read: "reading " + (setting?.shortTitle ?? "settings")
    case .write: "writing " + (setting?.shortTitle ?? "settings")
    case .save: "saving"
    case .verify: "awaiting beacon"
    }
  }
}

extension SettingName {
  /// The name of this setting within a sentence.
  var words: String { described.map { "the \($0)" } ?? "the setting “\(plain)”" }

  /// The name of this setting in a table.
  var title: String { described ?? plain }

  /// The name of this setting in front of its value.
  var shortTitle: String { inItsFamily?.shortTitle ?? plain }

  /// The machine name with spaces, for a setting that no family has.
  private var plain: String { rawValue.visible.replacing("_", with: " ") }

  private var described: String? { inItsFamily?.title }

  private var inItsFamily: SettingDescription? {
    DeviceProfiles.all.lazy.flatMap(\.settings).first { $0.name == self }
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
