package import Bluetooth

/// A kind of fault as it appears in scenarios.
package struct FaultKind: Sendable {
  /// Its name in scenarios.
  package let name: String
  /// The keys of its further parameters.
  package let keys: [String]
  /// Reads the fault from an order for a device of a family.
  package typealias Read = @Sendable (any FaultOrder, FirmwareFamily) throws(ScenarioProblem) -> Fault
  package let read: Read

  package init(_ name: String, keys: [String], read: @escaping Read) {
    self.name = name
    self.keys = keys
    self.read = read
  }

  /// A kind without parameters.
  package init(_ name: String, _ fault: Fault) {
    self.init(name, keys: []) { _, _ in fault }
  }

  /// A kind with a text.
  package init(_ name: String, text fault: @escaping @Sendable (String) -> Fault) {
    self.init(name, keys: ["text"]) { (order, _) throws(ScenarioProblem) in
      fault(try order.required("text", order.text))
    }
  }

  /// A kind that concerns what writes a setting.
  package init(_ name: String, ofSetting fault: @escaping @Sendable (BluetoothUUID) -> FamilyFault) {
    self.init(name, keys: ["setting"]) { (order, family) throws(ScenarioProblem) in
      .own(fault(try order.characteristic(of: family)))
    }
  }

  /// The kinds for every device.
  package static let common: [FaultKind] = [
    .init("silent", .silent),
    .init("never_answers", .neverAnswers),
    .init("takes_no_connection", .takesNoConnection),
    .init("slow", .slow),
    .init("stale_attributes", .staleAttributes),
    .init("two_characteristics", .twoCharacteristics),
    .init("two_services", .twoServices),
    .init("late_characteristics", .lateCharacteristics),
    .init("drops", keys: ["in", "nth"]) { (order, family) throws(ScenarioProblem) in
      let name = try order.required("in", order.text)
      guard let stage = family.dropStages.first(where: { $0.rawValue == name }) else {
        throw ScenarioProblem(
          "in", .value,
          "there is no stage \(name); those of \(family.name) are "
            + family.dropStages.map(\.rawValue).joined(separator: ", "))
      }
      return .drops(in: stage.numbered(try order.integer("nth", in: 1...100) ?? 1))
    },
    .init("rejects_write", keys: ["setting", "att_error"]) { (order, family) throws(ScenarioProblem) in
      .rejectsWrite(
        to: try order.characteristic(of: family),
        code: UInt8(try order.integer("att_error", in: 1...255) ?? 0x80))
    },
  ]

  /// The kinds for every device that is paired.
  static let pairing = PairingFault.allCases.map { FaultKind($0.rawValue, .pairing($0)) }
}

/// The order for a fault, as a scenario contains it.
package protocol FaultOrder {
  /// Reads a text; nil if the key is absent.
  func text(_ key: String) throws(ScenarioProblem) -> String?
  /// Reads a whole number; nil if the key is absent.
  func integer(_ key: String, in bounds: ClosedRange<Int>) throws(ScenarioProblem) -> Int?
  /// Reads `true` or `false`; nil if the key is absent.
  func flag(_ key: String) throws(ScenarioProblem) -> Bool?
}

extension FaultOrder {
  /// Reads a value that must be present.
  package func required<Value>(
    _ key: String, _ read: (String) throws(ScenarioProblem) -> Value?
  ) throws(ScenarioProblem) -> Value {
    if let value = try read(key) { return value }
    throw ScenarioProblem(key, .missing, "\(key) is missing here")
  }

  /// The characteristic that writes the `setting`.
  package func characteristic(of family: FirmwareFamily) throws(ScenarioProblem) -> BluetoothUUID {
    let name = try required("setting", text)
    if let setting = family.settings.first(where: { $0.name == name }) { return setting.characteristic }
    let names = family.settings.map(\.name).joined(separator: ", ")
    let others = names.isEmpty ? "" : "; there are \(names)"
    throw ScenarioProblem("setting", .value, "there is no setting \(name)\(others)")
  }
}
