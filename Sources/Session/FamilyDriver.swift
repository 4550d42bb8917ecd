package import Bluetooth
package import Model

/// A device family that can be provisioned: its description and the GATT session that applies the settings
/// (docs/internals/families.md).
package struct FamilyDriver: Sendable {
  package let family: DeviceFamily
  /// Connects, writes, and asks the device to save. Returns when nothing is left to send, whether or not the
  /// device acknowledged the save; the result still needs its proof.
  /// - Throws: `AttemptFailure` for every failure before the device could have kept anything, for an explicit
  ///   refusal, and for families that can be written again, whose next attempt begins with a read.
  package let configure: @Sendable (DeviceSession) async throws(AttemptFailure) -> Submission
  /// Has a connected device list the WiFi networks that it receives; nil for a family without such a list.
  package let listNetworks: ListNetworks?
  /// Asks a connected device to show where it is, for example by blinking; nil for a family that cannot.
  package let identify: Identify?
  /// Reads the labels of its products; nil for a family whose labels have only addresses.
  package let readLabel: ReadLabel?
  /// The name that its devices make from their address; nil for a family whose names say nothing of it.
  package let nameOfAddress: (@Sendable (BluetoothAddress) -> String)?

  /// Bounded in time, except for the discovery of the service. Returns nil when the firmware has no such list.
  /// - Throws: `disconnected`, `cancelled`, and ATT errors of the device.
  package typealias ListNetworks =
    @Sendable (any Peripheral, any TimeSource) async throws(CentralError) -> WiFiScan?

  /// Changes no setting. Bounded in time, except for the discovery of the service. Returns false, and has sent
  /// nothing, when the device does not offer it.
  /// - Throws: as `ListNetworks`.
  package typealias Identify = @Sendable (any Peripheral, any TimeSource) async throws(CentralError) -> Bool

  /// Reads the text of a QR code, of at most `LabelText.maximumBytes`. Returns nil for a text that is no label of the
  /// family.
  package typealias ReadLabel = @Sendable (String) throws(ProductLabelProblem) -> ProductLabel?

  package init(
    _ family: DeviceFamily,
    configure: @escaping @Sendable (DeviceSession) async throws(AttemptFailure) -> Submission,
    listNetworks: ListNetworks? = nil, identify: Identify? = nil, readLabel: ReadLabel? = nil,
    nameOfAddress: (@Sendable (BluetoothAddress) -> String)? = nil
  ) {
    self.family = family
    self.configure = configure
    self.listNetworks = listNetworks
    self.identify = identify
    self.readLabel = readLabel
    self.nameOfAddress = nameOfAddress
  }
}

extension [FamilyDriver] {
  /// The descriptions of these families.
  package var catalogue: FamilyCatalogue { FamilyCatalogue(map(\.family)) }

  package subscript(id: FamilyID) -> FamilyDriver? { first { $0.family.id == id } }
}
