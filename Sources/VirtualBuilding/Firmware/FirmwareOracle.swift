package import Bluetooth
package import Model

/// What a family's devices do with what they get, for checks of a run. Independent of the engine and of the
/// family's description, which it checks.
package struct FirmwareOracle: Sendable {
  /// When a device accepts settings.
  package enum Access: Hashable, Sendable {
    /// In provisioning mode only; a write to this characteristic makes it keep them.
    case provisioningMode(save: BluetoothUUID)
    /// At any time; each write takes effect. A device that holds everything need not be written.
    case rewritable
    /// At any time; each write takes effect. Not everything that it holds can be read, so only a device that holds
    /// everything and is proved on record need not be written.
    case partlyReadable
    /// At any time; each write takes effect. What it holds cannot be read, so a device that is not proved is written
    /// again.
    case unreadable
    /// At each action; each write takes effect. A lost link looks like a success.
    case perAction

    /// Whether writes take effect only with a command.
    package var needsSave: Bool { if case .provisioningMode = self { true } else { false } }

    /// Whether a setting can be proved without a write.
    package var isRead: Bool { self == .rewritable || self == .partlyReadable }
  }

  package let access: Access
  /// The grades of evidence that prove a device after a write, if it keeps its address.
  package let proofs: Set<Evidence.Grade>
  /// The identity on air of a device with this flash; nil for one that is not configured or sends none.
  package let identity: @Sendable (Flash) -> [UInt8]?
  /// Whether a device with this flash is configured, so that a run must leave it alone.
  package let isAtWork: @Sendable (Flash) -> Bool
  /// Whether its devices may be silent once they are configured.
  package let sendsNothingAtWork: Bool
  /// What a room's device keeps besides the settings.
  package let keeps: @Sendable (Room) -> [String: [UInt8]]
  /// Whether a write changes nothing that outlasts its link: a question, or a code that unlocks.
  package let isHarmless: @Sendable (WriteRecord) -> Bool
  /// Whether a write is what a run may send for a room, besides settings alone.
  package let isCommand: @Sendable (WriteRecord, Room) -> Bool

  package init(
    _ access: Access, proofs: Set<Evidence.Grade>,
    identity: @escaping @Sendable (Flash) -> [UInt8]? = { _ in nil },
    isAtWork: (@Sendable (Flash) -> Bool)? = nil, sendsNothingAtWork: Bool = false,
    keeps: @escaping @Sendable (Room) -> [String: [UInt8]] = { _ in [:] },
    isHarmless: @escaping @Sendable (WriteRecord) -> Bool = { _ in false },
    isCommand: @escaping @Sendable (WriteRecord, Room) -> Bool = { _, _ in false }
  ) {
    self.access = access
    self.proofs = proofs
    self.identity = identity
    self.isAtWork = isAtWork ?? { identity($0) != nil }
    self.sendsNothingAtWork = sendsNothingAtWork
    self.keeps = keeps
    self.isHarmless = isHarmless
    self.isCommand = isCommand
  }
}

/// A value that was written to a sensor.
package struct WriteRecord: Hashable, Sendable {
  /// The time of arrival.
  package var at: MonotonicInstant
  package var address: BluetoothAddress
  /// The adapter that sent it.
  package var adapter: BluetoothAddress
  package var characteristic: BluetoothUUID
  /// The written bytes.
  package var value: [UInt8]
  package var kind: WriteKind
}

extension FirmwareFamily {
  /// The oracle, which every family of rooms has.
  private var truth: FirmwareOracle {
    guard let oracle else { preconditionFailure("no room has a \(name)") }
    return oracle
  }

  /// The flash of a room's provisioned device, by setting; without settings that the room does not have and
  /// those that the firmware determines.
  package func flash(of room: Room) -> [String: [UInt8]] {
    var values: [String: [UInt8]] = [:]
    for setting in settings {
      switch room.settings[SettingName(rawValue: setting.name)] {
      case .secret(let secret)?: values[setting.name] = setting.encode(secret.reveal())
      case let value?: values[setting.name] = value.shown.flatMap(setting.encode)
      case nil: break
      }
    }
    return values.merging(oracle?.keeps(room) ?? [:]) { $1 }
  }

  package func holds(_ flash: Flash?, _ room: Room) -> Bool {
    guard let flash, flash.isSaved else { return false }
    return self.flash(of: room).allSatisfy { flash.values[$0.key] == $0.value }
  }

  /// The whole flash of a room's provisioned device.
  package func wanted(_ room: Room) -> Flash { Flash(values: flash(of: room), isSaved: true) }

  /// The settings in a write to this characteristic, in byte order; empty for a command.
  package func settings(at characteristic: BluetoothUUID) -> [FirmwareSetting] {
    settings.filter { $0.characteristic == characteristic }
  }

  /// Whether a write to a room's device contains only the room's own settings. A setting that the room does
  /// not have, but that shares the characteristic, must keep its earlier value.
  package func isOwn(_ write: WriteRecord, of room: Room, before: Flash?) -> Bool {
    if truth.isCommand(write, room) { return true }
    let parts = settings(at: write.characteristic)
    let wanted = flash(of: room)
    guard parts.contains(where: { wanted[$0.name] != nil }) else { return false }
    var rest = write.value[...]
    for part in parts {
      if part.isComputed {
        // One byte that depends on the time, not on the room.
        if rest.popFirst() == nil { return false }
      } else {
        let bytes = wanted[part.name] ?? before?.values[part.name] ?? []
        guard rest.starts(with: bytes) else { return false }
        rest = rest.dropFirst(bytes.count)
      }
    }
    return rest.isEmpty
  }

  /// Whether a write changes nothing that outlasts its link.
  package func isHarmless(_ write: WriteRecord) -> Bool { truth.isHarmless(write) }

  /// Whether a write changes the device permanently.
  package func isChange(_ write: WriteRecord) -> Bool {
    if isHarmless(write) { return false }
    return if case .provisioningMode(let save) = truth.access { write.characteristic == save } else { true }
  }

  /// The grades of evidence that prove a room's device after a write.
  package func proofs(of room: Room) -> Set<Evidence.Grade> {
    let moves = room.proofAddress == .any && truth.proofs.contains(.freshBeacon)
    return moves ? truth.proofs.union([.freshBeaconOtherAddress]) : truth.proofs
  }

  /// The identity on air of a device with this flash; nil for one that is not configured, or of another make.
  package func identity(_ flash: Flash) -> [UInt8]? { oracle?.identity(flash) }

  /// Whether a device with this flash sends the identity of a room.
  package func hasIdentity(of room: Room, _ flash: Flash) -> Bool {
    identity(flash) == identity(wanted(room))
  }
}
