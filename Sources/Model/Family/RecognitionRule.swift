package import Bluetooth

/// The state of a device, by an advertisement.
package enum Recognition: Hashable, Sendable {
  case awaitingProvisioning
  /// It is not configured, and a person must press its button before it accepts settings.
  case locked
  /// It carries out a command, and is to be configured.
  case joining
  /// It is configured, with this identity if its family has one.
  case configured(DeviceIdentity?)
  /// It is present; its advertisement does not show its settings.
  case present
}

/// An advertisement of a family's device in one state: it fulfils all conditions.
package struct RecognitionRule: Hashable, Sendable {
  package enum State: Hashable, Sendable {
    case waiting
    case locked
    case joining
    case configured
    case present
  }

  package enum Condition: Hashable, Sendable {
    /// The complete local name.
    case name(String)
    case namePrefix(String)
    case service(BluetoothUUID)
    /// Service data that begins with these bytes.
    case serviceData(BluetoothUUID, startsWith: [UInt8])
    /// Manufacturer data of this company that begins with these bytes.
    case manufacturerData(UInt16, startsWith: [UInt8])
    /// An identity in the format of the family, whoever has it.
    case identity
    case noIdentity
    /// An identity of which all parts but the last are the factory's, or those that a room expects.
    case expectedIdentity
    /// An identity whose first part is this one: that of an unconfigured device.
    case identityOf(SettingValue)

    fileprivate func isMet(
      by advertisement: Advertisement, _ identity: DeviceIdentity?, _ rule: IdentityRule?
    ) -> Bool {
      switch self {
      case .name(let name): advertisement.localName == name
      case .namePrefix(let prefix): advertisement.localName?.hasPrefix(prefix) ?? false
      case .service(let uuid): advertisement.serviceUUIDs.contains(uuid)
      case .serviceData(let uuid, let start): advertisement.serviceData[uuid]?.starts(with: start) ?? false
      case .manufacturerData(let company, let start):
        advertisement.manufacturerData[company]?.starts(with: start) ?? false
      case .identity: identity != nil
      case .noIdentity: identity == nil
      case .expectedIdentity: identity.map { rule?.expected.contains($0.shared) ?? false } ?? false
      case .identityOf(let value):
        identity.map { rule?.parts.first?.text(value) == $0.parts.first } ?? false
      }
    }

    package var isName: Bool {
      switch self {
      case .name, .namePrefix: true
      default: false
      }
    }
  }

  package var state: State
  package var conditions: [Condition]

  package init(_ state: State, _ conditions: Condition...) {
    (self.state, self.conditions) = (state, conditions)
  }

  func isMet(by advertisement: Advertisement, _ identity: DeviceIdentity?, _ rule: IdentityRule?) -> Bool {
    conditions.allSatisfy { $0.isMet(by: advertisement, identity, rule) }
  }
}
