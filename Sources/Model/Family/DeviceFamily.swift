package import Bluetooth

/// The description of a device family: how to recognise it, which settings it takes, and what proves it.
/// `DeviceProfile` adds the GATT session that applies the settings.
package protocol DeviceFamily: Sendable {
  var id: ProfileID { get }
  /// The display name.
  var title: String { get }
  /// The words for messages about its devices.
  var words: DeviceWords { get }
  /// The service through which it is configured.
  var service: BluetoothUUID { get }
  /// Whether devices of other makers offer the same service, so that the service alone identifies nothing.
  var isServiceShared: Bool { get }
  /// Whether a configured device can be written again without an operator action. If its settings are
  /// readable, the GATT session reads first, and does not overwrite those of another room.
  var isRewritable: Bool { get }
  /// Whether its GATT session searches for the device, as a session with a short time limit must. Other
  /// devices are connected to only shortly after a sighting.
  var searchesItself: Bool { get }
  /// Whether it needs the time since an action, which the operator may mark.
  var learnsActionTime: Bool { get }
  /// Whether its devices can list the WiFi networks that they receive.
  var listsNetworks: Bool { get }
  /// The settings, in display order.
  var settings: [SettingDescription] { get }
  /// The stages of an attempt.
  var stages: [Stage] { get }

  /// The default timeout of each stage with these settings.
  func timeouts(for settings: [SettingName: SettingValue]) -> StageTimeouts

  /// The usual time within which a device accepts a connection. It bounds first attempts, which would delay
  /// other devices otherwise. Nil if unknown.
  var answersWithin: Duration? { get }

  /// The state of the device that sent an advertisement; nil for a device of another family, or when that is
  /// unknown.
  func recognise(_ advertisement: Advertisement) -> Recognition?

  /// This family, extended to recognise what rooms with these settings expect.
  func expecting(_ rooms: [[SettingName: SettingValue]]) -> Self

  /// The description of a characteristic; nil for an unknown one.
  func attribute(_ characteristic: BluetoothUUID) -> AttributeDescription?

  /// The proof that a device has these settings.
  func proof(of settings: [SettingName: SettingValue]) -> Proof
}

extension DeviceFamily {
  package var isServiceShared: Bool { false }
  package var isRewritable: Bool { false }
  package var answersWithin: Duration? { nil }
  package var searchesItself: Bool { false }
  package var learnsActionTime: Bool { false }
  package var listsNetworks: Bool { false }

  package func attribute(_ characteristic: BluetoothUUID) -> AttributeDescription? { nil }

  package func expecting(_ rooms: [[SettingName: SettingValue]]) -> Self { self }

  /// The settings that are expected on air and never written.
  package var expectedSettings: Set<SettingName> {
    Set(settings.filter { !$0.isWritten }.map(\.name))
  }

  /// Whether its devices have an identity on air; only those can be registered without being written.
  package var hasIdentity: Bool { settings.contains(where: \.isOnAir) }
}
