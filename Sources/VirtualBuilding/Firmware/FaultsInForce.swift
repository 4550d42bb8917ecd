import Bluetooth

/// The faults that apply during one connection, as all firmwares interpret them.
struct FaultsInForce {
  let all: [Fault]
  private var settingsWritten = 0

  init(_ faults: [Fault] = []) { all = faults }

  func contains(_ fault: Fault) -> Bool { all.contains(fault) }

  /// Whether the error of an earlier attempt stays in the status, whatever is written.
  var keepOldError: Bool {
    all.contains { if case .lastingError = $0 { true } else { false } }
  }

  /// The ATT error for a write to a characteristic; nil if the write is accepted.
  func rejection(of characteristic: BluetoothUUID) -> UInt8? {
    for case .rejectsWrite(characteristic, let code) in all { return code }
    return nil
  }

  /// What happens to the write of a setting.
  enum Fate {
    case taken
    /// The link is lost before the write arrives.
    case lost
    /// The value is stored, and the link is lost before the confirmation.
    case takenAndLost
  }

  /// Returns what happens to the next setting that is written, and its number, counted from 1.
  mutating func nextSetting() -> (fate: Fate, number: Int) {
    settingsWritten += 1
    let fate: Fate =
      all.contains(.drops(in: .write(settingsWritten)))
      ? .lost : all.contains(.drops(in: .confirm(settingsWritten))) ? .takenAndLost : .taken
    return (fate, settingsWritten)
  }
}
