public import Bluetooth

/// A kind of fault, as scenarios order it.
public struct FaultKind: Sendable {
  /// Its name in scenarios.
  public let name: String
  /// The keys beside the name that say more about it.
  public let keys: [String]
  /// The fault that was ordered for a device of a family. Throws what the order throws when it makes no sense.
  public let read: @Sendable (any FaultOrder, FirmwareFamily) throws -> Fault

  /// A kind whose orders say more than its name.
  public init(
    _ name: String, keys: [String], read: @escaping @Sendable (any FaultOrder, FirmwareFamily) throws -> Fault
  ) {
    self.name = name
    self.keys = keys
    self.read = read
  }

  /// A kind of which there is nothing more to say.
  public init(_ name: String, _ fault: Fault) {
    self.init(name, keys: []) { _, _ in fault }
  }

  /// What every device can have.
  public static let common: [FaultKind] = [
    .init("silent", .silent),
    .init("never_answers", .neverAnswers),
    .init("slow", .slow),
    .init("stale_attributes", .staleAttributes),
    .init("drops", keys: ["in", "nth"]) { order, family in
      let name = try order.required("in", order.text)
      guard let stage = family.dropStages.first(where: { $0.rawValue == name }) else {
        throw order.wrong(
          "there is no stage \(name); those of \(family.name) are "
            + family.dropStages.map(\.rawValue).joined(separator: ", "), at: "in")
      }
      return .drops(in: stage.numbered(try order.integer("nth", in: 1...100) ?? 1))
    },
    .init("rejects_write", keys: ["setting", "att_error"]) { order, family in
      .rejectsWrite(
        to: try order.characteristic(of: family),
        code: UInt8(try order.integer("att_error", in: 1...255) ?? 0x80))
    },
  ]
}

/// An order for a fault: what a scenario says about it.
public protocol FaultOrder {
  /// Text, or nil when it is not there.
  func text(_ key: String) throws -> String?
  /// A whole number, or nil when it is not there.
  func integer(_ key: String, in bounds: ClosedRange<Int>) throws -> Int?
  /// `true` or `false`, or nil when it is not there.
  func flag(_ key: String) throws -> Bool?
  /// What must be there.
  func required<Value>(_ key: String, _ read: (String) throws -> Value?) throws -> Value
  /// What to throw when the value of a key makes no sense.
  func wrong(_ reason: String, at key: String) -> any Error
}

extension FaultOrder {
  /// The characteristic by which the `setting` is written.
  public func characteristic(of family: FirmwareFamily) throws -> BluetoothUUID {
    let name = try required("setting", text)
    if let setting = family.settings.first(where: { $0.name == name }) { return setting.characteristic }
    let names = family.settings.map(\.name).joined(separator: ", ")
    throw wrong("there is no setting \(name)" + (names.isEmpty ? "" : "; there are \(names)"), at: "setting")
  }
}
