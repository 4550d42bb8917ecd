package import Model

/// What a product's label (its QR code, or the name on it) says: the name that its device advertises, and the secrets that it
/// asks for.
package struct ProductLabel: Hashable, Sendable {
  package let name: String
  /// The settings of `DeviceFamily.access` that the label gives; none for a name alone.
  package let secrets: [SettingName: Secret]

  package init(name: String, secrets: [SettingName: Secret]) {
    (self.name, self.secrets) = (name, secrets)
  }
}

/// Why a product's label cannot be used. It contains no part of the label.
package enum ProductLabelProblem: Error, Hashable, Sendable {
  /// It is a part of a label, or cannot be decoded.
  case damaged
  /// It has no value for this key.
  case missing(String)
  /// It has this key more than once.
  case repeated(String)
  /// The value of this key is none that a device can have.
  case invalid(String)
  /// The device is provisioned over its own WiFi (`softap`), not over Bluetooth.
  case notOverBluetooth
  /// The device joins another kind of network than WiFi.
  case notForWiFi
}
