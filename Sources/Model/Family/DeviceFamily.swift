public import Bluetooth

/// What there is to know of a device family: how to recognise it, which settings it takes, and what proves it. The
/// session that applies the settings is `DeviceProfile`'s.
public protocol DeviceFamily: Sendable {
  /// Its machine name.
  var id: ProfileID { get }
  /// Its name for people.
  var title: String { get }
  /// How people call one and deal with it.
  var words: DeviceWords { get }
  /// The service through which it is configured.
  var service: BluetoothUUID { get }
  /// Whether devices of other makes offer that service as well: then it alone tells nothing.
  var isServiceShared: Bool { get }
  /// Whether a configured device can be written again without anybody touching it. Where it tells
  /// what it holds, its conversation reads first, and leaves alone what is not the room's.
  var isRewritable: Bool { get }
  /// Whether its conversation hears the device itself, as a session that has little time
  /// in all must. Others are dialled only when they were heard a short while ago.
  var searchesItself: Bool { get }
  /// Whether it learns how long ago an action was, which a person may mark.
  var learnsActionTime: Bool { get }
  /// Whether its devices can list the WiFi networks that they receive.
  var listsNetworks: Bool { get }
  /// The settings it takes, in the order in which people want to see them.
  var settings: [SettingDescription] { get }
  /// The stages that an attempt at it has.
  var stages: [Stage] { get }

  /// How long each stage may take with these settings, unless the manifest says otherwise.
  func timeouts(for settings: [SettingName: SettingValue]) -> StageTimeouts

  /// Within which time a device of this family answers a call, if it answers at all: a first call is not given longer,
  /// for it holds up others. Nil where nobody can say.
  var answersWithin: Duration? { get }

  /// What this advertisement says about a device of this family; nil when it is none, or cannot be told.
  func recognise(_ advertisement: Advertisement) -> Recognition?

  /// This family, which recognises its devices also by what rooms with these settings expect of them.
  func expecting(_ rooms: [[SettingName: SettingValue]]) -> Self

  /// What there is to know of a characteristic of its devices; nil of one that it does not have.
  func attribute(_ characteristic: BluetoothUUID) -> AttributeDescription?

  /// What a device with these settings gives as proof that they are applied.
  func proof(of settings: [SettingName: SettingValue]) -> Proof
}

extension DeviceFamily {
  /// No.
  public var isServiceShared: Bool { false }
  /// No: somebody must make it wait again.
  public var isRewritable: Bool { false }
  /// Nobody can say.
  public var answersWithin: Duration? { nil }
  /// No.
  public var searchesItself: Bool { false }
  /// No.
  public var learnsActionTime: Bool { false }
  /// No.
  public var listsNetworks: Bool { false }

  /// It says nothing of its characteristics.
  public func attribute(_ characteristic: BluetoothUUID) -> AttributeDescription? { nil }

  /// It expects nothing of its devices that it does not write.
  public func expecting(_ rooms: [[SettingName: SettingValue]]) -> Self { self }

  /// The settings that are expected of its devices, and never written.
  public var expectedSettings: Set<SettingName> {
    Set(settings.filter { !$0.isWritten }.map(\.name))
  }

  /// Whether its devices tell on air who they are: only those can be registered without being written.
  public var hasIdentity: Bool { settings.contains(where: \.isOnAir) }
}
