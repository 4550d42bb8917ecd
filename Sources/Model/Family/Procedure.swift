package import Bluetooth

/// The GATT session of a family as data. `FamilyDriver(described:)` carries it out over a link: it discovers the
/// services, waits until the device is ready, unlocks it, reads what it holds, writes the characteristics in their
/// order, and waits for the device's acknowledgement.
package struct Procedure: Hashable, Sendable {
  /// The status that the device reports; nil without one.
  package var status: StatusRule?
  /// What lets the session in; nil for a device that is not locked.
  package var unlock: Unlock?
  /// Whether everything that is not secret is read before any write. Settings of another room are then refused.
  package var readsFirst: Bool
  /// The values of a device that nobody configured: such a device may be written. Without any, `readsFirst` never
  /// takes a device as new.
  package var factory: [SettingName: SettingValue]
  /// Whether each written characteristic is read back at once, and its bytes compared.
  package var readsBack: Bool
  /// The command that makes the device keep what was written; nil if each write takes effect by itself.
  package var save: SaveCommand?

  package struct SaveCommand: Hashable, Sendable {
    package var characteristic: BluetoothUUID
    /// The service that has it; nil for its family's.
    package var service: BluetoothUUID?
    package var value: [UInt8]

    package init(_ characteristic: BluetoothUUID, of service: BluetoothUUID? = nil, _ value: [UInt8]) {
      (self.characteristic, self.service, self.value) = (characteristic, service, value)
    }
  }

  package struct Unlock: Hashable, Sendable {
    /// What is written, with the code in it.
    package var code: CharacteristicDescription
    /// Whether the device forgets the code with it. Then it can be read before, and is unlocked only once the intent to
    /// change it is on record. Otherwise the code opens it for the link alone and changes nothing.
    package var isOnce: Bool

    package init(_ code: CharacteristicDescription, isOnce: Bool = false) {
      (self.code, self.isOnce) = (code, isOnce)
    }

    package var uuid: BluetoothUUID { code.uuid }
  }

  package init(
    status: StatusRule? = nil, unlock: Unlock? = nil, readsFirst: Bool = false,
    factory: [SettingName: SettingValue] = [:],
    readsBack: Bool = false, save: SaveCommand? = nil
  ) {
    (self.status, self.unlock, self.readsFirst, self.factory) = (status, unlock, readsFirst, factory)
    (self.readsBack, self.save) = (readsBack, save)
  }
}

/// The values of a status characteristic that have a meaning.
package struct StatusRule: Hashable, Sendable {
  package var characteristic: BluetoothUUID
  /// The service that has it; nil for its family's.
  package var service: BluetoothUUID?
  /// The value by which the device reports that it is ready; nil if nothing is waited for.
  package var ready: StatusPattern?
  /// Whether nothing is written without `ready`. Otherwise the session continues after the timeout.
  package var needsReady: Bool
  /// The values that the device reports in this order when it has the settings: the last one acknowledges them. Empty if
  /// it does not.
  package var saved: [StatusPattern]
  /// A value by which the device refuses.
  package var refusals: [StatusPattern]

  package init(
    _ characteristic: BluetoothUUID, of service: BluetoothUUID? = nil, ready: StatusPattern? = nil,
    needsReady: Bool = false, saved: [StatusPattern] = [], refusals: [StatusPattern] = []
  ) {
    (self.characteristic, self.service) = (characteristic, service)
    (self.ready, self.needsReady, self.saved, self.refusals) = (ready, needsReady, saved, refusals)
  }
}

extension DeviceFamily {
  /// The settings that tell the devices of different rooms apart: those on air, without any those that rooms cannot
  /// share, without any all.
  package var distinguishingSettings: [SettingDescription] {
    let written = settings.filter { $0.isWritten && !$0.isSecret }
    let choices = [written.filter(\.isOnAir), written.filter { !$0.isShareable }]
    return choices.first { !$0.isEmpty } ?? written
  }

  /// The characteristics that a session by `procedure` writes, in order.
  package var written: [CharacteristicDescription] { characteristics.filter { !$0.settings.isEmpty } }

  /// The stages of an attempt by a procedure.
  package static func stages(of procedure: Procedure, _ proof: ProofRule) -> [Stage] {
    let hasSave = procedure.save != nil || procedure.status?.saved.isEmpty == false || proof.isSelfDisconnect
    return [.search, .connect, .discover] + (procedure.status == nil ? [] : [.ready])
      + (procedure.readsFirst || procedure.readsBack ? [.read] : []) + [.write] + (hasSave ? [.save] : [])
      + (proof == .onAir ? [.verify] : [])
  }
}
