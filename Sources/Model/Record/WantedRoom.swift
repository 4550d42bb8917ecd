package import Bluetooth

/// What a manifest wants of a room, as far as it can be compared with what was written to its device.
package struct WantedRoom: Hashable, Sendable {
  package let planned: PlannedRoom
  /// The key that seals its secrets; nil without one.
  private let sealKey: String?
  /// The settings that are never written: advertisements decide about them (`DeviceFamily.expectedSettings`).
  private let expected: Set<SettingName>
  /// Secrets of an earlier manifest, where those of this one cannot be compared with what was written.
  private var earlier: [SettingName: Sealed] = [:]

  private struct Sealed: Hashable {
    var fingerprint: String
    var key: String
  }

  package init(_ planned: PlannedRoom, sealKey: String?, expected: Set<SettingName>) {
    (self.planned, self.sealKey, self.expected) = (planned, sealKey, expected)
  }

  /// This room with the secrets of an earlier manifest in place of those that cannot be compared with `lastWrite`: without
  /// the site's key, or without the secrets themselves, a manifest does not show that they are as before.
  package func over(_ older: WantedRoom?, _ lastWrite: LastWrite?) -> WantedRoom {
    guard let older, let key = lastWrite?.sealKey, uncompared(with: lastWrite) != nil else { return self }
    var wanted = self
    for setting in planned.settings { wanted.earlier[setting.name] = older.sealed(setting.name, key) }
    return wanted
  }

  private func sealed(_ secret: SettingResult) -> Sealed? {
    guard let fingerprint = secret.fingerprint, let sealKey else { return nil }
    return Sealed(fingerprint: fingerprint, key: sealKey)
  }

  /// A secret as it was sealed with this key.
  private func sealed(_ name: SettingName, _ key: String) -> Sealed? {
    let own = planned.settings[name].flatMap(sealed)
    return own?.key == key ? own : earlier[name].flatMap { $0.key == key ? $0 : nil }
  }

  /// Why a secret cannot be compared.
  package enum Uncompared: Hashable, Sendable {
    /// It was sealed with another site key than the one at hand.
    case otherKey
    /// The manifest takes it from elsewhere, and it was not read.
    case unread
  }

  /// Why a secret of this manifest cannot be compared with the one that was written; nil if all can.
  package func uncompared(with lastWrite: LastWrite?) -> Uncompared? {
    guard let lastWrite else { return nil }
    let isUncompared = planned.settings.contains { secret in
      secret.isSecret && lastWrite.settings[secret.name]?.fingerprint != nil
        && sealed(secret)?.key != lastWrite.sealKey
    }
    return isUncompared ? sealKey == lastWrite.sealKey ? .unread : .otherKey : nil
  }

  /// What differs from a write. A secret that cannot be compared counts as equal.
  package func changes(from lastWrite: LastWrite) -> RoomChanges {
    var changes = RoomChanges()
    if let address = planned.address, address != lastWrite.address { changes.address = lastWrite.address }
    if let old = lastWrite.identity, let new = planned.identity, old != new {
      changes.identity = .init(recorded: old, wanted: new)
    }
    for setting in planned.settings where !expected.contains(setting.name) {
      let key = lastWrite.sealKey
      let new =
        setting.isSecret ? key.flatMap { sealed(setting.name, $0) }?.fingerprint : setting.fingerprint
      if let change = lastWrite.change(to: setting, sealed: new), change.change != .unchanged {
        changes.settings.append(change)
      }
    }
    return changes
  }
}

/// What a manifest has of a room, and its device does not.
package struct RoomChanges: Hashable, Sendable {
  /// The settings that differ, or that were never written.
  package var settings: [PlannedSetting] = []
  /// The device on record, if the manifest names another one.
  package var address: BluetoothAddress?
  /// The identity on record and the wanted one, if they differ.
  package var identity: Identities?

  package struct Identities: Hashable, Sendable {
    package var recorded: DeviceIdentity
    package var wanted: DeviceIdentity
  }

  package init() {}

  package var isEmpty: Bool { settings.isEmpty && address == nil && identity == nil }

  /// Both findings.
  func adding(_ other: RoomChanges) -> RoomChanges {
    var all = self
    let names = settings.map(\.name)
    all.settings += other.settings.filter { !names.contains($0.name) }
    all.address = address ?? other.address
    all.identity = identity ?? other.identity
    return all
  }
}

extension SettingResult {
  /// Whether its value is a secret, which no record has.
  fileprivate var isSecret: Bool { value == nil }
}

extension LastWrite {
  /// A setting compared with this write; nil if they cannot be compared.
  /// - Parameter fingerprint: That of a secret, sealed with the key of this write.
  func change(to wanted: SettingResult, sealed fingerprint: String?) -> PlannedSetting? {
    var setting = PlannedSetting(name: wanted.name, value: wanted.value, change: .set)
    guard let old = settings[wanted.name] else { return setting }
    setting.recorded = old.value
    if wanted.isSecret, old.value == nil {
      guard let fingerprint, let recorded = old.fingerprint else { return nil }
      setting.change = fingerprint == recorded ? .unchanged : .changed
    } else {
      setting.change = wanted.value == old.value ? .unchanged : .changed
    }
    return setting
  }
}

extension Room {
  /// The room for the record, without its secrets.
  package func planned(sealedBy seal: SecretSeal?, exclusion: Exclusion? = nil) -> PlannedRoom {
    PlannedRoom(
      room: id, name: name, floor: floor, group: group, profile: family.id, address: address,
      registered: isRegistered ? true : nil,
      proof: proofAddress == .own ? nil : proofAddress, settings: settingResults(seal) { _ in .notWritten },
      identity: identity,
      exclusion: exclusion)
  }

  /// The room as its manifest wants it.
  package func wanted(sealedBy seal: SecretSeal?) -> WantedRoom {
    WantedRoom(planned(sealedBy: seal), sealKey: seal?.key, expected: family.expectedSettings)
  }
}

extension PlannedSetting {
  /// A setting for a device, compared with `lastWrite`; nil for a device that was never written.
  /// - Parameters:
  ///   - wanted: the setting that the room wants, its secret sealed with `sealKey`.
  ///   - isOfRoom: whether `lastWrite` was for the same room: secrets of other rooms have other fingerprints.
  package init(_ wanted: SettingResult, sealKey: String?, over lastWrite: LastWrite?, isOfRoom: Bool) {
    self.init(name: wanted.name, value: wanted.value)
    let old = lastWrite?.settings[wanted.name]
    // Whether the device holds a setting that was never confirmed is unknown.
    if let old, !old.state.isConfirmed, lastWrite?.settingsRecorded[wanted.name] == nil { return }
    recorded = old?.value
    let isComparable = isOfRoom && sealKey == lastWrite?.sealKey
    change =
      lastWrite.map { $0.change(to: wanted, sealed: isComparable ? wanted.fingerprint : nil)?.change } ?? .set
  }
}
