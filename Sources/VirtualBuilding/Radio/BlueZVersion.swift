/// A BlueZ and the kernel below it, as a release of Debian has them. docs/internals/bluez.md, "The traps", has what differs.
package enum BlueZVersion: String, Sendable, CaseIterable {
  /// BlueZ 5.66 on kernel 6.1.
  case debian12 = "5.66"
  /// BlueZ 5.82 on kernel 6.12.
  case debian13 = "5.82"

  /// How long the kernel's order to connect stands (`HCI_LE_AUTOCONN_TIMEOUT`).
  var deadAttempt: Duration {
    switch self {
    case .debian12: .seconds(4)
    case .debian13: .seconds(20)
    }
  }

  /// The Linux Foundation's identifiers; the device field contains the version.
  var modalias: String {
    switch self {
    case .debian12: "usb:v1D6Bp0246d0542"
    case .debian13: "usb:v1D6Bp0246d0552"
    }
  }
}
