package import Bluetooth

/// What a manifest or a label names a device by.
package enum DeviceReference: Hashable, Sendable, CustomStringConvertible {
  case address(BluetoothAddress)
  /// The name that it advertises while it waits.
  case name(String)

  package var description: String {
    switch self {
    case .address(let address): address.description
    case .name(let name): name
    }
  }

  package var address: BluetoothAddress? { if case .address(let address) = self { address } else { nil } }
  package var name: String? { if case .name(let name) = self { name } else { nil } }

  /// Length of a name in bytes (Bluetooth Core, Vol 3 Part C 11: 31 less its header).
  package static let nameBytes = 1...29
  /// What a name may be.
  package static let nameDescription = SettingDescription(
    "device", "device", .text(bytes: nameBytes), isRequired: false,
    documentation: "The name that the device advertises.")

  /// Why a text cannot be such a name; nil if it can. One that cannot be read on a screen is none.
  package static func violation(ofName text: String) -> SettingViolation? {
    if let violation = nameDescription.violation(of: .text(text)) { return violation }
    if text.unicodeScalars.contains(where: \.isControlling) { return .controlCharacter }
    let isBlank = text.unicodeScalars.allSatisfy {
      $0.properties.isWhitespace || $0.properties.isDefaultIgnorableCodePoint
    }
    return isBlank ? .wrongLength(bytes: 0, allowed: nameBytes) : nil
  }
}

extension Room {
  /// The device that the manifest names; nil if it names none.
  package var device: DeviceReference? {
    address.map { .address($0) } ?? deviceName.map { .name($0) }
  }

  /// The address on the label of its device, where its family's devices say that and the manifest has it.
  package var labelAddress: BluetoothAddress? {
    family.isNamedByLabel ? deviceName.flatMap(LabelAddressRule.address(writtenIn:)) : nil
  }

  /// Names the room's device, whose label then has the secrets that come from labels.
  package mutating func setDevice(_ device: DeviceReference?) {
    (address, deviceName) = (nil, nil)
    switch device {
    case .address(let address)?: self.address = address
    case .name(let name)?: deviceName = name
    case nil: break
    }
    nameLabel()
  }

  /// Has the secrets that come from labels come from that of the room's device. A label with a passkey may have the address
  /// instead of a name.
  package mutating func nameLabel() {
    for (name, value) in access {
      guard case .secret(let secret) = value else { continue }
      let device = deviceName ?? (name == .passkey ? address?.description : nil)
      access[name] = .secret(secret.onLabel(of: device))
    }
  }

  /// Whether some of its secrets come from a label that was not read yet: nothing names the label's device.
  package var awaitsLabel: Bool {
    access.values.contains { value in
      if case .secret(let secret) = value, case .labels(_, nil, _)? = secret.reference?.source {
        true
      } else {
        false
      }
    }
  }
}
