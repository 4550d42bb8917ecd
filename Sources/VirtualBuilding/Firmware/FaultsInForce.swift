import Bluetooth

/// The faults that strike while one central is connected, as every firmware understands them.
struct FaultsInForce {
  let all: [Fault]
  private var settingsWritten = 0

  init(_ faults: [Fault] = []) { all = faults }

  func contains(_ fault: Fault) -> Bool { all.contains(fault) }

  /// Whether an error of an earlier attempt stays the status, whatever is written.
  var keepOldError: Bool {
    all.contains { if case .lastingError = $0 { true } else { false } }
  }

  /// The ATT error with which a write to a characteristic is answered, or nil.
  func rejection(of characteristic: BluetoothUUID) -> UInt8? {
    for case .rejectsWrite(characteristic, let code) in all { return code }
    return nil
  }

  /// What becomes of a setting's write.
  enum Fate {
    case taken
    /// The link is lost before it was.
    case lost
    /// It is taken, and the link lost before that is confirmed.
    case takenAndLost
  }

  /// What becomes of the next setting that is written, and its number, counted from 1.
  mutating func nextSetting() -> (fate: Fate, number: Int) {
    settingsWritten += 1
    let fate: Fate =
      all.contains(.drops(in: .write(settingsWritten)))
      ? .lost : all.contains(.drops(in: .confirm(settingsWritten))) ? .takenAndLost : .taken
    return (fate, settingsWritten)
  }
}
